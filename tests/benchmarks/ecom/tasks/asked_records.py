"""The records that the request of a task is about, beside its basket.

    payment_asked_for(task)    # Payment(id="pay-0031", ...), for "Is pay-0031 paid?"
    employee_asked_for(task)   # Employee(id="emp-0007", ...), for "What is Mila's e-mail address?"
    product_to_name(task)      # Product(sku="VH-TNT-2P", ...), which a right message has to name

The *details* of a task, `truth.for_tests`, have the path of such a record. The keys depend on the
task's family: `{"payment": "/proc/payments/pay-0031.json"}`. Without such a record: `LookupError`.
"""

from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.records import Employee, Payment, Product


def payment_asked_for(task: Task) -> Payment:
    """Return the payment whose path is among the details."""
    path = task.truth.for_tests.get("payment")
    for payment in task.world.payments.values():
        if task.world.path(payment) == path:
            return payment
    msg = "the request is not about a payment"
    raise LookupError(msg)


def employee_asked_for(task: Task) -> Employee:
    """Return the employee whose path is among the details."""
    path = task.truth.for_tests.get("path")
    for employee in task.world.employees.values():
        if task.world.path(employee) == path:
            return employee
    msg = "the request is not about an employee"
    raise LookupError(msg)


def product_to_name(task: Task) -> Product:
    """Return the first product that a right message has to name.

    A message has to make several statements, each in one of several wordings: the SKU or the name
    of a product, for example.
    """
    product_by_sku = task.world.catalogue.products
    for wordings in task.truth.required_statements:
        for wording in wordings:
            if wording in product_by_sku:
                return product_by_sku[wording]
    msg = "no message has to name a product"
    raise LookupError(msg)

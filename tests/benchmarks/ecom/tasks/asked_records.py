"""The records that the request of a task is about, beside its basket.

    payment_asked_for(task)    # Payment(id="pay-0031", ...), for "Is pay-0031 paid?"
    employee_asked_for(task)   # Employee(id="emp-0007", ...), for "What is Mila's e-mail address?"
    product_to_name(task)      # Product(sku="VH-TNT-2P", ...), which a right message has to name

Each function raises `LookupError` if the request is not about such a record. The *details* of a task say
what its request is about, under keys that depend on its family.
"""

from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.records import Employee, Payment, Product


def payment_asked_for(task: Task) -> Payment:
    """Return the payment whose path is among the details."""
    path = dict(task.truth.for_tests).get("payment")
    for payment in task.world.payments.values():
        if task.world.path(payment) == path:
            return payment
    msg = "the request is not about a payment"
    raise LookupError(msg)


def employee_asked_for(task: Task) -> Employee:
    """Return the employee whose e-mail address is asked for."""
    path = dict(task.truth.for_tests)["path"]
    for employee in task.world.employees.values():
        if task.world.path(employee) == path:
            return employee
    msg = "the request is not about an employee"
    raise LookupError(msg)


def product_to_name(task: Task) -> Product:
    """Return the first product that a right message has to name."""
    products = task.world.catalogue.products
    for wordings in task.truth.required_statements:
        for wording in wordings:
            if wording in products:
                return products[wording]
    msg = "no message has to name a product"
    raise LookupError(msg)

#!/bin/bash
echo customer,cents >/app/totals.csv
awk -F, 'NR > 1 {sums[$1] += $3} END {for (name in sums) print name "," sums[name]}' /app/orders.csv \
    | sort >>/app/totals.csv

#!/bin/bash
echo "errors $(grep -c '" 500 ' /app/access.log)" >/app/report.txt
busiest=$(awk '{print $1}' /app/access.log | sort | uniq -c | sort -rn | awk 'NR == 1 {print $2}')
echo "busiest $busiest" >>/app/report.txt

#!/bin/bash
reward=0
if grep -qx 'errors 27' /app/report.txt && grep -qx 'busiest 10.0.0.5' /app/report.txt; then reward=1; fi
echo $reward >/logs/verifier/reward.txt

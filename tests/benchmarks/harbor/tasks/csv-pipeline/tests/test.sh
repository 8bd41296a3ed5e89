#!/bin/bash
rows=0
if [ -f /app/totals.csv ]; then rows=$(wc -l </app/totals.csv); fi
reward=0
if cmp /app/totals.csv /tests/totals.csv; then reward=1; fi
echo "{\"reward\": $reward, \"rows\": $rows}" >/logs/verifier/reward.json

#!/bin/bash
sed -i 's|net_cents \* rate_percent // 100|(net_cents * rate_percent + 50) // 100|' /app/prices.py

#!/bin/bash
reward=0
modes="$(stat -c %a /app/keys/private.pem) $(stat -c %a /app/keys) $(stat -c %a /app/deploy.sh)"
echo "modes: $modes"
if [ "$modes" = "600 700 755" ]; then reward=1; fi
echo $reward >/logs/verifier/reward.txt

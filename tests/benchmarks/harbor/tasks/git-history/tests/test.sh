#!/bin/bash
reward=0
if [ "$(cat /app/port.txt)" = 6543 ]; then reward=1; fi
echo $reward >/logs/verifier/reward.txt

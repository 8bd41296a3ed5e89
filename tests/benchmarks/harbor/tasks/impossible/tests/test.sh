#!/bin/bash
reward=0
if grep -qi key /app/impossible.txt && [ ! -e /app/message.txt ]; then reward=1; fi
echo $reward >/logs/verifier/reward.txt

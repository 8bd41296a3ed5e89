#!/bin/bash
reward=0
if [ "$(cat /app/notes.txt)" = "meet at nine" ]; then reward=1; fi
echo $reward >/logs/verifier/reward.txt

#!/bin/bash
reward=0
if [ "$(wget -qO- http://127.0.0.1:8080/)" = "the page of the service" ]; then reward=1; fi
echo $reward >/logs/verifier/reward.txt

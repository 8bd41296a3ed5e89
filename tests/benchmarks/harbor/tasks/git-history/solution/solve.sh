#!/bin/bash
cd /app/repo && git --no-pager log -p | awk '/^-port = / {print $3}' >/app/port.txt

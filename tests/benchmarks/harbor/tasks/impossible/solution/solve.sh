#!/bin/bash
echo "There is no key for message.enc on this machine." >/app/impossible.txt

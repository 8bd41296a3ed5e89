#!/bin/bash
chmod 600 /app/keys/private.pem
chmod 700 /app/keys
chmod 755 /app/deploy.sh

#!/bin/bash
cd /app && tail -c +17 backup.tar.gz | tar -xz

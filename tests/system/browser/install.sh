#!/usr/bin/env bash
# Debian's Chromium and its driver, if they are not there.
set -euo pipefail
command -v chromium > /dev/null && command -v chromedriver > /dev/null && exit 0
sudo=$(command -v sudo || true)
$sudo apt-get update -qq
$sudo apt-get install -y -qq --no-install-recommends chromium chromium-driver > /dev/null

set -e
echo "$HOME" '${not} yours'

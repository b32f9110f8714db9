# Every bash of a job reads this (BASH_ENV, /etc/profile): software is one exported list, files that are not here are
# sourced by name, and a command that nobody made a stub for is recorded.
RANDOM=$((17 + ${SLURM_PROCID:-0}))  # the same in both runs, another in each task

judge_software() { export STUB_SOFTWARE="${STUB_SOFTWARE:+$STUB_SOFTWARE;}$*"; }

module() {
  local verb each
  while [[ ${1-} == -* ]]; do shift; done
  verb=${1-}
  [ $# -gt 0 ] && shift
  case $verb in
    ''|list|avail|av|spider|show|display|whatis|help|keyword|is-loaded|is-avail|overview) return 0 ;;
    load|add|try-load|unload|del|rm) [ "$verb" = add ] || [ "$verb" = try-load ] && verb=load
      [[ $verb == del || $verb == rm ]] && verb=unload
      for each; do [[ $each == -* ]] || judge_software "module $verb $each"; done ;;
    *) judge_software "module $verb${*:+ $*}" ;;
  esac
}

ml() {
  case ${1-} in
    ''|-t|av|avail|list|spider|show|keyword|help) return 0 ;;
    load|add|unload|purge|use|unuse|swap|switch|restore|reset|save|del|rm|--force) module "$@" ;;
    -*) module unload "${1#-}" ;;
    *) module load "$@" ;;
  esac
}

judge_conda() {
  judge_software "conda $1"
  export CONDA_PREFIX=/opt/conda CONDA_DEFAULT_ENV=$1
  [ "$1" = base ] || CONDA_PREFIX=/opt/conda/envs/${1##*/}
}

conda() {
  case ${1-} in
    activate) judge_conda "${2:-base}" ;;
    deactivate) judge_software "conda deactivate" ;;
    info) echo /opt/conda ;;
    init|shell.*|shell) return 0 ;;
    *) command conda "$@" ;;
  esac
}
mamba() { conda "$@"; }
micromamba() { conda "$@"; }

source() {
  local file=${1-}
  case $file in
    activate) judge_conda "${2:-base}"; return 0 ;;
    deactivate) judge_software "conda deactivate"; return 0 ;;
    */profile.d/conda.sh|*/profile.d/mamba.sh) return 0 ;;
    /dev/*|/proc/*) builtin source "$@"; return ;;
  esac
  if [ -f "$file" ] && ! /usr/bin/grep -q '^# a stub$' "$file"; then builtin source "$@"; return; fi
  [[ $file == /* ]] || file=$(/usr/bin/realpath -ms -- "$file")
  case $file in
    */bin/activate) if [ -n "${2-}" ]; then judge_conda "$2"; else judge_software "venv ${file%/bin/activate}"; fi ;;
    *) judge_software "source $file" ;;
  esac
}
. () { source "$@"; }

command_not_found_handle() { /.judge/call "$@"; }

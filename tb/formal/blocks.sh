# Proofs of blocks and of their faults; scripts source it behind tools.sh, with area, asked and failed=0 set: the files are
# tb/formal/AREA_*.sv and AREA_mutants.txt.
# shellcheck shell=bash disable=SC2034,SC2154

# write FOLDER DUT PROOF MACROS KIND...: FOLDER/KIND.aig has what holds, or what is reached, FOLDER/KIND the names. With `only` set
# these properties alone hold.
write() {
  local kind steps='' of="${only:-*}"
  for kind in "${@:5}"; do
    steps+="; design -load all; chformal -assert -remove t:\$assert @$kind %d; opt_clean -purge
      memory_map; async2sync; dffunmap; setundef -undriven -anyseq; techmap; setundef -anyseq; aigmap
      tee -q -o $1/$kind select -list t:\$assert; write_aiger -zinit -I -B $1/$kind.aig"
  done
  # Registers without reset and memories start with any content.
  yosys -q -p "read_verilog -formal -sv $1/*.v; rename $2 ${area}_dut
    read_verilog -formal -sv $4 $root/tb/formal/${area}_$3.sv
    prep -flatten -nordff -top ${area}_$3; select -set reach t:\$assert */reach_* %i
    select -set of */${of//,/ */}; select -set holds t:\$assert @of %i @reach %d; design -save all$steps" >"$1/log" 2>&1 || { cat "$1/log" >&2; die "yosys failed"; }
  for kind in "${@:5}"; do sed -i 's|.*/||' "$1/$kind"; done
}

report() {  # NAME PROPERTY VERDICT EXPECTED: with the time since the last one
  local verdict="$3" now="${EPOCHREALTIME/./}"
  [[ "$3" == "$4" ]] || { failed=1; verdict+=", EXPECTED $4"; }
  printf '%-16s %-30s %s in %d ms\n' "$1" "$2" "$verdict" $(((now - begin) / 1000))
  begin="$now"
}

# hold NAME FOLDER CLOCKS STEP: all together from reset for CLOCKS, then by induction over STEP unless that is 0
hold() {
  local log verdict=FAILED
  if [[ "$4" == 0 ]]; then
    log="$(yosys-abc -c "read_aiger $2/holds.aig; fold; strash; frames -F $3 -i; orpos; fraig; dsat")"
    [[ "$log" != *UNSATISFIABLE* ]] || verdict=held
  else
    log="$(yosys-abc -c "read_aiger $2/holds.aig; fold; orpos; strash; bmc3 -F $3; ind -F $4 -C 9999999 -T 60")"
    [[ "$log" != *"No output asserted in $3 frames"*'Networks are equivalent'* ]] || verdict=held
  fi
  report "$1" "$(tr '\n' ' ' <"$2/holds")" "$verdict" held
}

# fail NAME FOLDER FILE PROPERTY CLOCKS: from reset
fail() {
  local index log verdict='NOT violated'
  index="$(grep --line-number --line-regexp "$4" "$2/$3" | cut --delimiter : --fields 1)"
  log="$(yosys-abc -c "read_aiger $2/$3.aig; fold; cone -s -O $((index - 1)); bmc3 -F $5")"
  [[ "$log" != *'was asserted in frame'* ]] || verdict=violated
  report "$1" "$4" "$verdict" violated
}

# block NAME FOLDER DUT PROOF CLOCKS STEP MACROS [REACH]: its properties, then the faults that they must find; what is reached and
# faults may take REACH clocks. HEDDLE_FAULTS_EVERY=N plants every N-th fault of the block alone.
block() {
  local every="${HEDDLE_FAULTS_EVERY:-1}" planted=0 name="$1" folder="$scratch/$2" dut property form module fault file broken="$scratch/broken" reach="${8:-$5}"
  local faults="$root/tb/formal/${area}_mutants.txt"
  [[ "${#asked[@]}" == 0 || " ${asked[*]} " == *" $name "* ]] || return 0
  dut="$(basename "$(file_of "$folder" "$3")" .v)"
  begin="${EPOCHREALTIME/./}"
  write "$folder" "$dut" "$4" "$7" holds reach
  # Equal assertions become one, and one may be lost
  diff <(sed --quiet 's/.*[ )]\([a-z_0-9]*\): assert.*/\1/p' "$root/tb/formal/${area}_$4.sv" | sort) \
    <(sort "$folder/holds" "$folder/reach") >&2 || die "yosys has other assertions than ${area}_$4.sv"
  hold "$name" "$folder" "$5" "$6"
  while read -r property; do
    grep --quiet --extended-regexp "^([a-z,_]*,)?$property(,[a-z,_]*)? +$4" "$faults" || die "$faults has no fault for $property of $4"
  done <"$folder/holds"
  while read -r property; do fail "$name" "$folder" reach "$property" "$reach"; done < <(cat "$folder/reach")
  while read -r property form module fault; do
    [[ "$form" == "$name" ]] || continue
    ((planted++ % every == 0)) || continue
    rm -rf "$broken"
    cp -r "$folder" "$broken"
    file="$(file_of "$broken" "$module")"
    sed -i "$fault" "$file"
    ! cmp --silent "$file" "$folder/$(basename "$file")" || die "$module has nothing to change for $fault"
    only="$property" write "$broken" "$dut" "$4" "$7" holds
    for property in ${property//,/ }; do fail "$name, fault" "$broken" holds "$property" "$reach"; done
  done < <(sed '/^#/d' "$faults")
}

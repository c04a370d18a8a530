# Fuzzing. Included by tests/tests.mk.
#
#   make fuzz [T=target] [SECS=60]    one target (fuzz_TARGET.c) or all of them, SECS seconds each, with libFuzzer
#   make fuzz-long                    every target for the number of executions that is promised
#   make fuzz-replay                  the committed corpora, once, with the ordinary compiler and flags
#
# New inputs go to build/fuzz/corpus/TARGET, findings to build/fuzz/found. The committed corpus is only read: what is
# worth keeping is copied there by hand.

FUZZ_NAMES := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_CHOSEN = $(or $(T),$(FUZZ_NAMES))
SECS ?= 60
FUZZ_KIT := $(wildcard tests/fuzz/*.h)

# An archive, of which a target links what it uses.
$(OBJ)/libparts.a: $(PART_OBJ)
	@echo '  AR    $@'
	$(Q)rm -f $@ && $(AR) rcs $@ $^

FUZZ_LINK = $(CC) $(CPPFLAGS) $(TEST_FLAGS) $(CFLAGS) $(LINK_FLAGS)
FUZZ_LIBS = $(OBJ)/libparts.a $(OBJ)/libterrane.a $(PKG_LIBS) -lm

$(OBJ)/tests/fuzz/fuzz_%: tests/fuzz/fuzz_%.c $(FUZZ_KIT) $(OBJ)/libparts.a $(OBJ)/libterrane.a
	@mkdir -p $(@D)
	@echo '  LINK  $@'
	$(Q)$(FUZZ_LINK) -fsanitize=fuzzer $< $(FUZZ_LIBS) -o $@

$(OBJ)/tests/fuzz/replay_%: tests/fuzz/fuzz_%.c tests/fuzz/replay_main.c $(FUZZ_KIT) $(OBJ)/libparts.a $(OBJ)/libterrane.a
	@mkdir -p $(@D)
	@echo '  LINK  $@'
	$(Q)$(FUZZ_LINK) $(filter %.c,$^) $(FUZZ_LIBS) -o $@

.PHONY: fuzz fuzz-long fuzz-replay fuzz-run fuzz-runs
fuzz: ## fuzz with clang's libFuzzer: make fuzz [T=target] [SECS=60]
	@$(MAKE) fuzz-run CC=clang SAN=address,undefined CFLAGS='-O1 -g -fsanitize=fuzzer-no-link'

# What is promised: 10,000,000 targets; 1,000,000 entries, recipes, configurations; 100,000 PNG and payloads; and as many as of those of what came later.
RUNS_target := 10000000
RUNS_png := 100000
RUNS_payload := 100000
RUNS_OTHERS := 1000000
fuzz-long: ## ... until the promised counts
	@$(MAKE) fuzz-runs CC=clang SAN=address,undefined CFLAGS='-O1 -g -fsanitize=fuzzer-no-link'

# How long, or how often.
fuzz-run: LIMIT = -max_total_time=$(SECS)
fuzz-runs: LIMIT = -runs=$(or $(RUNS_$t),$(RUNS_OTHERS))
fuzz-run fuzz-runs: $(FUZZ_CHOSEN:%=$(OBJ)/tests/fuzz/fuzz_%)
	@$(foreach t,$(FUZZ_CHOSEN),echo "== $t, $(LIMIT)"; mkdir -p build/fuzz/corpus/$t build/fuzz/found build/fuzz/log; \
	    $(OBJ)/tests/fuzz/fuzz_$t $(LIMIT) -max_len=8192 -timeout=10 -print_final_stats=1 \
	        -artifact_prefix=build/fuzz/found/$t- build/fuzz/corpus/$t tests/fuzz/corpus/$t \
	        >build/fuzz/log/$t 2>&1 || { tail -n 40 build/fuzz/log/$t; exit 1; }; \
	    grep -E 'number_of_executed_units|new_units_added' build/fuzz/log/$t;)

fuzz-replay: $(FUZZ_NAMES:%=$(OBJ)/tests/fuzz/replay_%) ## run the fuzz targets over their committed corpora
	@for t in $(FUZZ_NAMES); do \
	    printf '%-8s ' $$t; $(OBJ)/tests/fuzz/replay_$$t tests/fuzz/corpus/$$t/* || exit 1; done

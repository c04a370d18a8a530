# Bugs of one line each, and what catches them. Included by tests/tests.mk.
#
#   make mutants                                    all of mutants.json, under an hour on two cores
#   make mutants MUTANTS_FLAGS='--only etag-cut'    some of them, by their names
#   make mutants MUTANTS_FLAGS=--check              only whether each one's line is there, once
#
# What was found is left in build/mutants/report.json, and the output of the test that caught each beside it.

ifndef MUTANTS_MK
MUTANTS_MK := 1
MUTANTS_FLAGS ?=

.PHONY: mutants
mutants: ## put sixty bugs of one line into the source, one at a time, and count those that the tests catch
	@/usr/bin/python3 -B tests/mutants/mutants.py $(MUTANTS_FLAGS)

# Unit tests less optimised and without debug information, which would take most of the time.
MUTANTS_LINK := $(if $(shell command -v ld.lld),-fuse-ld=lld) -Wl,-S
MUTANTS_GROUPS := $(UNIT_GROUPS:tests/unit/%.c=%)

$(OBJ)/tests/mutants/%.o: tests/unit/%.c
	@mkdir -p $(@D)
	@echo '  CC    $<'
	$(Q)$(CC) $(CPPFLAGS) $(TEST_FLAGS) $(CFLAGS) -O1 -g0 -c $< -o $@

$(foreach room,$(UNIT_ROOMS),$(eval $(OBJ)/mutants/$(room): \
    $(patsubst $(OBJ)/tests/unit/%,$(OBJ)/tests/mutants/%,$(call UNIT_NEEDS,$(room)))))
$(UNIT_ROOMS:%=$(OBJ)/mutants/%):
	@mkdir -p $(@D)
	@echo '  LINK  $@'
	$(Q)$(CC) $(CFLAGS) $(LINK_FLAGS) $(MUTANTS_LINK) $(UNIT_WRAPS) $(filter %.o %.a,$^) $(PKG_LIBS) -lcmocka -lm -o $@

-include $(MUTANTS_GROUPS:%=$(OBJ)/tests/mutants/%.d)

# For mutants.py: where objects are, and the tests.
.PHONY: mutants-names mutants-tests
mutants-names:
	@echo $(OBJ) $(MUTANTS_GROUPS)
mutants-tests: $(UNIT_ROOMS:%=$(OBJ)/mutants/%)
endif

# terrane-analyze: Python over terrane's own commands, and the experiments of Velzel (Natural Path Generation) in C. The server loads none of it.

ANALYZE_FILES := main.py $(filter-out main.py,$(notdir $(wildcard analyze/*.py config/worlds/figures/*.json))) experiment

$(OBJ)/analyze/experiment: analyze/experiment.c $(OBJ)/libterrane-patch.a $(OBJ)/libterrane.a
	@mkdir -p $(@D)
	@echo '  LINK  $@'
	$(Q)$(CC) $(CPPFLAGS) $(BASE) -D_GNU_SOURCE -ffp-contract=off $(CFLAGS) $(LINK_FLAGS) $(filter %.c %.a,$^) -lm -o $@

$(OBJ)/analyze/%.py: analyze/%.py
	@install -D -m $(if $(filter main,$*),755,644) $< $@

$(OBJ)/analyze/%.json: config/worlds/figures/%.json
	@install -D -m 644 $< $@

-include $(OBJ)/analyze/experiment.d

.PHONY: deps-analyze test-analyze build/analyze
deps-analyze: ## ... what `terrane analyze` and `terrane path` draw with, and what --paper measures: coasts and ground
	@tests/install-packages $(DEPS_BUILD) $(DEPS_ANALYZE) $(DEPS_ANALYZE_DATA)

build/analyze: $(ANALYZE_FILES:%=$(OBJ)/analyze/%)
	@mkdir -p $@ && cp $^ $@

test-analyze: $(OBJ)/terrane $(ANALYZE_FILES:%=$(OBJ)/analyze/%) ## `terrane analyze` and `terrane path` on the command line
	@TERRANE=$(abspath $<) $(PYTEST) $(SPREAD) tests/analyze

# A release as files: the source archive, and Debian's packages. Included by the Makefile.
#
#   DEB_VERSION=1.0.0~rc.1    the packages' version: of pre-releases, what comes before the release sorts before it

DIST = terrane-$(VERSION)
DEB_VERSION ?= $(subst -,~,$(VERSION))
DEPS_DEB := git xz-utils debhelper build-essential

.PHONY: dist deb test-deb deps-deb
deps-deb: ## ... what `make dist` and `make deb` need
	@tests/install-packages $(DEPS_BUILD) $(DEPS_DEB)

# What git knows, as it stands here, and what npm or git would be asked for: the viewer's files, and Debian's changelog.
# The same commit makes the same bytes with the same node and xz: what node compresses of the viewer differs from version to version.
dist: deps-deb ## build/terrane-VERSION.tar.xz: sources that build without npm and git
	@git rev-parse -q --verify HEAD >/dev/null || { echo 'make dist is for a clone, of which git tells the files and the time' >&2; exit 1; }
	@$(MAKE) build/web/list.inc
	@rm -rf build/dist && mkdir -p build/dist/$(DIST)
	@git ls-files -z | tar -c --null -T - | tar -x -C build/dist/$(DIST)
	@cp -R build/web build/dist/$(DIST)/server/web/built
	@printf '%s\n' 'terrane ($(DEB_VERSION)) unstable; urgency=medium' '' '  * What has changed stands in CHANGELOG.md.' '' \
	    " -- $$(sed -n 's/^Maintainer: //p' debian/control)  $$(git log -1 --format=%cD)" >build/dist/$(DIST)/debian/changelog
	@tar -c --sort=name --mtime="@$$(git log -1 --format=%ct)" --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
	    -C build/dist $(DIST) | xz -9 -T1 >build/$(DIST).tar.xz
	@echo build/$(DIST).tar.xz

deb: dist ## Debian packages of that archive, into build/deb/
	@rm -rf build/deb && mkdir build/deb && tar -xf build/$(DIST).tar.xz -C build/deb
	@cd build/deb/$(DIST) && env -u MAKEFLAGS -u MAKELEVEL dpkg-buildpackage -b -us -uc --jobs=auto
	@ls build/deb/*.deb

test-deb: ## the archive builds, the packages install, serve, upgrade and go, each on a bare Debian 12 (as root)
	@tests/package/run

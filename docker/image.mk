# The image of docker/Dockerfile, and the tests of it. Included by the Makefile.
#
#   IMAGE=terrane:dev    its name          PLATFORM=linux/arm64    for another machine
#   IMAGE_BASE=...       the base          IMAGE_FLAGS=...         further words for the engine's build

IMAGE ?= terrane:dev
IMAGE_BASE ?=
IMAGE_FLAGS ?=
PLATFORM ?=
IMAGE_REVISION = $(shell git rev-parse HEAD 2>/dev/null)

.PHONY: image test-image
image: ## build the container image IMAGE (docker, podman or buildah)
	@IMAGE_BASE='$(IMAGE_BASE)' IMAGE_FLAGS='$(IMAGE_FLAGS)' PLATFORM='$(PLATFORM)' IMAGE_VERSION='$(VERSION)' \
	    IMAGE_REVISION='$(IMAGE_REVISION)' docker/build-image '$(IMAGE)'
test-image: image ## ... and test it: size, start, user, signals, and the HTTP tests against it (as root)
	@tests/image/run '$(IMAGE)'

# make run and make test do everything on a machine that has the Swift toolchain alone.
.PHONY: help setup run demo key test sanitize lint build image soak bench clean
.DEFAULT_GOAL := help

# What the build of the tests must survive: no warning, no import that Package.swift does not declare.
strict := -Xswiftc -warnings-as-errors --explicit-target-dependency-import-check error
# The products that ship, as small as they get: Swift's libraries inside, symbols left out.
shipped := -c release --static-swift-stdlib -Xlinker -s

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST)

setup: ## install what is missing (Debian packages of C libraries)
	@Scripts/setup

run: setup ## build and start the collector with an embedded database
	@echo 'building the collector (the first time takes a minute or two) …'
	@swift build -c release --product collector
	@exec Scripts/run "$$(swift build -c release --show-bin-path)/collector"

demo: setup ## leak for real and post it to the collector that `make run` started
	@swift build -c release --product leak-demo
	@exec Scripts/demo "$$(swift build -c release --show-bin-path)/leak-demo"

key: ## make an ingest key for the collector that `make run` started
	@"$$(swift build -c release --show-bin-path)/collector" key create

test: setup ## run all tests
	swift build --build-tests $(strict)
	swift test --skip-build

sanitize: setup ## the tests of everything that has threads, under the thread sanitizer
	swift build --build-tests --sanitize=thread --scratch-path .build/thread-sanitizer
	swift test --skip-build --sanitize=thread --scratch-path .build/thread-sanitizer \
		--filter 'HTTPServerTests|LeakReporterTests|LeakDetectorTests|ThreadsTests|LeakCollectorTests.CollectorTests'

lint: ## check the format of every Swift file
	swift format lint --strict --recursive Sources Tests Benchmarks Package.swift

build: setup ## build the release product as it ships
	swift build $(shipped) --product collector

image: ## build the container image
	docker build -t collector .

bench: setup ## reports per second, memory and disk under load (needs wrk and curl: apt-get install wrk curl)
	@for tool in wrk curl; do command -v $$tool >/dev/null || { echo "bench: $$tool is missing; run: apt-get install wrk curl" >&2; exit 1; }; done
	swift build $(shipped) --product collector
	swift run -c release --package-path Benchmarks ingest-bench --million \
		--collector "$$(swift build $(shipped) --show-bin-path)/collector" --public Public

soak: setup ## the long runs: kills, power cuts, failing disks, damaged files; about ten minutes
	swift build --build-tests $(strict)
	CRASH_ROUNDS=200 KILL_ROUNDS=200 FAULT_SEEDS=200 swift test --skip-build \
		--filter 'CrashTests|KillTests|PowerCutTests|DiskFaultTests|DamageTests|CountingModelTests'

clean: ## remove what was built
	swift package clean

# make run and make test do everything on a machine that has only the Swift toolchain.
.PHONY: tls deb deb-check hosting-files
.PHONY: help setup run demo key test checks postgresql conformance statistics openapi metrics notifications sanitize hostile fuzz lint format docs build image soak soak-detector bench bench-detector bench-reporter bench-http bench-store bench-database bench-postgresql bench-pages gate-simulation ten-years sample clean
.DEFAULT_GOAL := help
# Package.swift declares the products for the development of the collector only with it.
export LEAK_COLLECTOR_DEVELOPMENT := 1
# Swift Testing would start all tests at once: a test that waits for an answer continues behind thousands that were started after
# it, so clients time out. With a few tests at once it continues soon.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH := 8

# Options of the test build: warnings are errors, and so are imports that Package.swift does not declare.
strict := -Xswiftc -warnings-as-errors --explicit-target-dependency-import-check error
# Everything is built for the tests, the store in PostgreSQL too. Other options here would rebuild everything.
tested := --traits PostgreSQL
# The products that ship, as small as they get: Swift's libraries inside, symbols left out.
shipped := -c release --static-swift-stdlib -Xlinker -s
hostile = bench="$$(swift build -c release --package-path Benchmarks --show-bin-path)" && "$$bench/hostile-bench" --echo "$$bench/http-echo"
detector = swift build -c release --package-path Benchmarks --product detector-bench && "$$(swift build -c release --package-path Benchmarks --show-bin-path)/detector-bench"

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST)

setup: ## install what is missing (Debian packages of C libraries)
	@Scripts/setup

run: setup ## build and start the collector with an embedded database
	@echo 'building the collector (the first time takes a minute or two) …'
	@swift build -c release --product collector
	@exec Scripts/run "$$(swift build -c release --show-bin-path)/collector"

demo: setup ## post two weeks of a made-up shop, and real leaks, to the collector that `make run` started
	@swift build -c release --product leak-demo
	@exec Scripts/demo "$$(swift build -c release --show-bin-path)/leak-demo"

key: ## make an ingest key for the collector that `make run` started
	@"$$(swift build -c release --show-bin-path)/collector" key create

test: setup ## run all tests, in a PostgreSQL server and headless Chromium of their own too (installed from Debian)
	@Scripts/setup llvm
	@Scripts/setup-browser
	@Scripts/setup-sentry
	@rm -rf .build/screenshots
	@$(MAKE) --no-print-directory build-tests
	@echo 'Scripts/with-postgresql --unflushed Scripts/run-tests $(tested)'; \
		Scripts/with-postgresql --unflushed Scripts/run-tests $(tested); result=$$?; cat .build/browser/left-out .build/sentry/left-out; \
		[ ! -d .build/screenshots ] || echo 'pictures of the pages: $(CURDIR)/.build/screenshots'; exit $$result

.PHONY: pictures
pictures: setup ## make the pictures of the documents anew from the pages of the tests (installs Chromium)
	@Scripts/setup-browser
	@$(MAKE) --no-print-directory build-tests
	PICTURES=1 swift test --skip-build $(tested) --filter PictureTests

checks: setup ## compile and run on stand-ins what only Apple's systems compile; type-check what stand-ins cannot; build with library evolution; the package as an app sees it
	swift build --package-path Checks --build-tests $(strict)
	swift test --package-path Checks --skip-build
	swift build --package-path Checks -c release -Xswiftc -Onone --target LeakDetector $(strict)
	Checks/typecheck
	Checks/evolution
	swift package --package-path Checks/Apps describe >/dev/null
	Checks/sample-app

.PHONY: build-tests
build-tests: ## build everything for the tests, warnings as errors (installs C libraries and PostgreSQL)
	@Scripts/setup postgresql-15 libpq-dev
	swift build --build-tests $(tested) $(strict)

postgresql: build-tests ## stop and start a PostgreSQL server 20 times while reports come; every report counts once
	DATABASE_OUTAGES=$${DATABASE_OUTAGES:-20} Scripts/with-postgresql --unflushed swift test --skip-build --ignore-lock $(tested) --filter DatabaseFaultTests

conformance: setup ## the server as curl, varnishtest, redbot, h11 and llhttp see it
	@Conformance/setup
	swift build $(shipped) --product collector
	swift build -c release --package-path Benchmarks --product http-echo
	Conformance/run "$$(swift build -c release --package-path Benchmarks --show-bin-path)/http-echo" \
		"$$(swift build $(shipped) --show-bin-path)/collector"
	@! .build/conformance/python/bin/python -c 'import scipy' 2>/dev/null || $(MAKE) --no-print-directory statistics

# Caddy, nginx and HAProxy run in namespaces of their own, which needs root or user namespaces; half a minute.
tls: setup ## the collector behind the proxies of docs/HOSTING.md and compose.tls.yaml; a reporter posts over https (installs Caddy, nginx, HAProxy)
	@Scripts/setup caddy nginx-light haproxy curl iproute2 util-linux python3
	swift build $(tested) $(strict) --product collector
	swift build $(tested) $(strict) --product leak-reporter-app
	Conformance/tls/run "$$(swift build --show-bin-path)/collector" "$$(swift build --show-bin-path)/leak-reporter-app"

# Other cases than those in the repository, always the same.
statistics: build-tests ## the statistics of releases against SciPy, 17,000 cases (needs the environment of `make conformance`)
	.build/conformance/python/bin/python Scripts/statistics-vectors 2 10 > .build/conformance/scipy.jsonl
	STATISTICS_VECTORS=.build/conformance/scipy.jsonl swift test --skip-build $(tested) --filter SciPyTests

# About a minute and a half; OPENAPI_EXAMPLES=400 runs longer.
openapi: setup ## a running collector against its OpenAPI description: 13,000 requests of schemathesis, always the same (needs PyPI)
	@Scripts/setup libpq-dev
	@Conformance/openapi/setup
	swift build $(tested) $(strict) --product collector
	Conformance/openapi/run "$$(swift build --show-bin-path)/collector"

metrics: setup ## the metrics of a running collector, the alert rules and the dashboard against promtool and Grafana's types (needs PyPI)
	@Scripts/setup libpq-dev
	@Conformance/metrics/setup
	swift build $(tested) $(strict) --product collector
	Conformance/metrics/run "$$(swift build --show-bin-path)/collector"

notifications: setup ## kill a collector 1,000 times while it sends events to a receiver that fails at random; each event must arrive once by its identifier (40 minutes; needs Python)
	@Scripts/setup libpq-dev
	swift build $(tested) $(strict) --product collector
	python3 Conformance/notifications/kills.py "$$(swift build --show-bin-path)/collector" $(if $(SHORT),20,1000)

# The test targets of everything that has threads: those of LeakReporter run the collector too, in their process. Package.swift
# leaves out the others. Left out as well are long tests whose threads other tests have too; tests that repeat one scenario for each
# byte; tests that fail on purpose, because each failure takes five seconds of the sanitizer's; and ForkTests: the thread sanitizer ends a child made with
# fork that starts threads.
threaded = LEAK_COLLECTOR_TESTS='LeakHTTPServerTests LeakReporterTests LeakDetectorTests LeakDetectorTestingTests LeakPlatformTests LeakHTTPClientTests LeakFoundationTransportTests'
sanitize: setup ## the tests of everything that has threads under the thread sanitizer; the server attacked, and the detector with 50,000 objects, under it and the address sanitizer
	$(threaded) swift build --build-tests --sanitize=thread --scratch-path .build/thread-sanitizer
	$(threaded) swift test --skip-build --sanitize=thread --scratch-path .build/thread-sanitizer \
		--skip 'ExactlyOnceTests|is cut after any |that is too long for the server|LeaksFoundTests|SurvivorsTests|XCTestFailureTests|RandomAnswersTests|CrashPointTests|\.ReportQuotaTests|OutboxChoicesTests|BatchRetriesTests|SegmentTests|RecordCodecTests|ForkTests|ReportMergeKeyTests|QueuePowerCutTests|OutboxTests|ForeignQueueTests|SessionLogTests|DeliveryScheduleTests|PrivacyManifestTests|TimingWheelTests|\.ContextTests|HeadParserTests|ChunkParserTests|HTTPInvariantTests|RouterTests|RequestTests|ResponseTests'
	Scripts/sanitize-load
	Scripts/sanitize-detector
	Scripts/sanitize-reporter
	Scripts/sanitize-retain-paths

hostile: ## the server under attack: slowhttptest, 1,200 hostile connections, a churn of connections (less than a minute)
	@Scripts/setup slowhttptest
	swift build -c release --package-path Benchmarks --product http-echo
	swift build -c release --package-path Benchmarks --product hostile-bench
	$(hostile) --slow 5 --churn 20000
	$(hostile) --rounds 2 --seconds 3
	$(hostile) --rounds 1 --seconds 3 --observers off
	swift build $(shipped) --product collector
	$(hostile) --collector "$$(swift build $(shipped) --show-bin-path)/collector" --rounds 2 --seconds 3

fuzz: setup ## fuzz the reading of requests, of reports and of symbols with libFuzzer side by side for FUZZ_SECONDS (60)
	@Scripts/fuzz

.PHONY: mutants
mutants: setup ## take the rules about screens and views away one by one, and see that a test notices each (five minutes)
	@Scripts/mutate-screens

.PHONY: grouping-score
grouping-score: build-tests ## group 92,000 generated reports of 92 forms, and print how well each form is told apart (a minute)
	GROUPING_SCORE=whole swift test --skip-build $(tested) --filter GroupingScoreTests

# TABLE=--table prints each scenario with its expected and its found path.
.PHONY: retain-scenarios demo-paths
retain-scenarios: setup ## which references RetainPaths finds in 130 scenarios, in six kinds of build (builds for half an hour)
	@Scripts/retain-scenarios $(TABLE)

demo-paths: setup ## which path keeps the object of each leak of the demo, in five kinds of build; fails below 26 of 29
	@Scripts/retain-scenarios --demo $(TABLE)

.PHONY: demo-symbols
demo-symbols: setup ## two stripped builds of the demo become one leak with names when their symbols are uploaded (installs LLVM)
	@Scripts/setup llvm binutils curl
	swift build -c release --product collector
	Scripts/demo-symbols "$$(swift build -c release --show-bin-path)/collector"

formatted := Sources Tests Benchmarks Fuzzing/Package.swift Fuzzing/Sources \
	Checks/Package.swift Checks/Apps/Package.swift Checks/SampleApp Checks/Sources Checks/Headers Checks/Tests Package.swift

lint: ## check the format of every Swift file, cycles between folders, plain comments and names, one version in all files, and reports for JUnit and GitLab
	@Scripts/folder-graph-test
	Scripts/folder-graph --check
	Scripts/language --check
	Scripts/version --check
	Scripts/report-formats
	swift format lint --strict --recursive $(formatted)

format: ## write the format that lint asks for
	swift format format --in-place --recursive $(formatted)

docs: setup ## build the documentation of each library into .build/docs, warnings about its pages as errors
	@Scripts/setup libpq-dev
	for module in LeakHTTPServer LeakReporter RetainPaths LeakDetectorTesting; do swift build --target $$module $(tested) $(strict) || exit 1; done
	@Scripts/docs

build: setup ## build the release product as it ships; TRAITS=PostgreSQL lets it use PostgreSQL
	@[ -z '$(TRAITS)' ] || Scripts/setup libpq-dev
	swift build $(shipped) $(if $(TRAITS),--traits $(TRAITS)) --product collector

deb: setup ## build the Debian package with the systemd service into .build/deb; TRAITS=PostgreSQL lets it use PostgreSQL
	@Scripts/setup dpkg-dev
	@[ -z '$(TRAITS)' ] || Scripts/setup libpq-dev
	swift build $(shipped) $(if $(TRAITS),--traits $(TRAITS)) --product collector
	packaging/make-deb "$$(swift build $(shipped) --show-bin-path)/collector" .build/deb

# Needs root, because the clean system has users and processes of its own.
deb-check: deb ## install the Debian package in a clean Debian, and start the service there (installs debootstrap, systemd-nspawn)
	@Scripts/setup debootstrap systemd-container
	packaging/check-deb "$$(ls -t .build/deb/*.deb | head -n 1)"

hosting-files: ## check the systemd unit, the manifest for Kubernetes, Compose files, and the scripts for GitHub and GitLab (needs PyPI)
	@Scripts/setup curl jq python3 python3-venv shellcheck systemd
	@packaging/setup
	packaging/check

image: ## build the container image
	docker build -t collector .

bench: setup ## reports per second, memory and disk under load (needs wrk and curl: apt-get install wrk curl)
	@for tool in wrk curl; do command -v $$tool >/dev/null || { echo "bench: $$tool is missing; run: apt-get install wrk curl" >&2; exit 1; }; done
	swift build $(shipped) --product collector
	swift run -c release --package-path Benchmarks ingest-bench $(or $(BENCH),--million) \
		--collector "$$(swift build $(shipped) --show-bin-path)/collector" --public Public

# One collector program for all three lines. Short by default; BENCH='--seconds 8 --rounds 7' for figures to keep.
bench-postgresql: setup ## two collectors on one PostgreSQL beside one, and beside SQLite (needs wrk and curl; installs PostgreSQL)
	@for tool in wrk curl; do command -v $$tool >/dev/null || { echo "bench-postgresql: $$tool is missing; run: apt-get install wrk curl" >&2; exit 1; }; done
	@Scripts/setup postgresql-15 libpq-dev
	swift build $(shipped) --traits PostgreSQL --scratch-path .build/postgresql --product collector
	swift build -c release --package-path Benchmarks --product ingest-bench
	Scripts/with-postgresql "$$(swift build -c release --package-path Benchmarks --show-bin-path)/ingest-bench" --shared \
		--collector "$$(swift build $(shipped) --scratch-path .build/postgresql --show-bin-path)/collector" --public Public \
		$(or $(BENCH),--seconds 4 --rounds 3)

# BENCH='--seconds 10' for figures to keep.
bench-store: setup ## the embedded store alone: reports per second by size of batch, times of lists as leaks and reports grow
	swift build -c release --package-path Benchmarks --product store-bench
	"$$(swift build -c release --package-path Benchmarks --show-bin-path)/store-bench" $(BENCH)

bench-database: setup ## PostgreSQL through the store alone: reports per second, milliseconds per page (installs PostgreSQL)
	@Scripts/setup postgresql-15 libpq-dev
	swift build -c release --package-path Benchmarks --traits PostgreSQL --scratch-path Benchmarks/.build/postgresql \
		--product database-bench
	Scripts/with-postgresql "$$(swift build -c release --package-path Benchmarks --traits PostgreSQL \
		--scratch-path Benchmarks/.build/postgresql --show-bin-path)/database-bench" $(BENCH)

# A minute. Pages are not part of what the library shows, hence -enable-testing, in a folder of its own.
bench-pages: setup ## time and bytes of the pages, requests per second of the summary (needs wrk and curl)
	@for tool in wrk curl; do command -v $$tool >/dev/null || { echo "bench-pages: $$tool is missing; run: apt-get install wrk curl" >&2; exit 1; }; done
	swift build -c release -Xswiftc -enable-testing --package-path Benchmarks --scratch-path Benchmarks/.build/pages --product page-bench
	Benchmarks/.build/pages/release/page-bench $(BENCH)

# Half a minute. BENCH='--check docs/CI.md' compares the table there, --write replaces it; '--pairs 1000 --seed 2' is shorter.
gate-simulation: ## 10,000 simulated pairs of releases before the release gate: false alarms, what it finds, what it cannot tell
	swift build -c release --package-path Benchmarks --product gate-simulation
	"$$(swift build -c release --package-path Benchmarks --show-bin-path)/gate-simulation" $(BENCH)

# Five minutes. YEARS names the new data folder, or the URL of an empty PostgreSQL database; BENCH='--years 2' is shorter.
years = $(or $(YEARS),.build/ten-years)
ten-years: setup ## ten simulated years of 3 apps: size, problems, names in other, and judgements of the release gate
	swift build -c release --package-path Benchmarks --product ten-years
	"$$(swift build -c release --package-path Benchmarks --show-bin-path)/ten-years" $(years) $(BENCH)

# SAMPLE is the folder, which must have no database yet.
sample = $(or $(SAMPLE),.build/sample-data)
sample: setup ## data for looking at the pages: 3 apps, 30 versions, 60 days up to now, 400 leaks, 5,000 installs
	swift build -c release --package-path Benchmarks --product sample-data
	"$$(swift build -c release --package-path Benchmarks --show-bin-path)/sample-data" $(sample)
	@echo 'look at it: COLLECTOR_DATA=$(sample) make run'

# Two minutes; BENCH='--rounds 3 --seconds 2' is shorter.
bench-detector: setup ## what a leak detector costs the app beside one asyncAfter per object, and how often it wakes while idle
	$(detector) $(BENCH)

bench-reporter: setup ## what the reporter costs an app: its caller, memory, bytes on the wire, processor time, size of the binary
	swift build -c release --package-path Benchmarks --product reporter-bench
	"$$(swift build -c release --package-path Benchmarks --show-bin-path)/reporter-bench" $(BENCH)
	Scripts/app-size

# Short by default; BENCH='--seconds 8 --rounds 7' for figures to keep.
bench-http: setup ## the HTTP server side by side with nginx (installs nginx and wrk)
	Scripts/setup wrk nginx-light libnginx-mod-http-echo util-linux
	swift build -c release --package-path Benchmarks --product http-bench
	swift build -c release --package-path Benchmarks --product http-echo
	PATH="$$PATH:/usr/sbin" "$$(swift build -c release --package-path Benchmarks --show-bin-path)/http-bench" \
		--echo "$$(swift build -c release --package-path Benchmarks --show-bin-path)/http-echo" $(BENCH)

soak-detector: setup ## the leak detector with 200,000 objects from 8 threads: all leaks found, memory back; the mode assert in an optimized build (ten seconds)
	$(detector) --soak --objects 200000
	Scripts/stops-at-a-leak "$$(swift build -c release --package-path Benchmarks --show-bin-path)/detector-bench"

# ROUNDS is the number of kills. SHORT=1 runs each part with its shortest setting.
kills = $(if $(SHORT),1,$(or $(ROUNDS),200))
soak: build-tests hostile ## the long runs: kills, power cuts, failing disks, damaged files; the server under attack; a million objects through the detector; an hour of fuzzing
	CRASH_ROUNDS=$(kills) KILL_ROUNDS=$(kills) FAULT_SEEDS=$(if $(SHORT),1,200) swift test --skip-build $(tested) \
		--filter 'CrashTests|\.KillTests|PowerCutTests|DiskFaultTests|DamageTests|CountingModelTests'
	STORE_KILLS=$(if $(SHORT),12,50) Scripts/with-postgresql --unflushed swift test --skip-build $(tested) \
		--filter 'ForgetKillTests|EvictionKillTests|MergeKillTests|RetentionKillTests|ForgetFaultTests'
	STORE_SEEDS=$(if $(SHORT),1,20) Scripts/with-postgresql --unflushed swift test --skip-build $(tested) \
		--filter 'StoreRetentionTests|StoreEvictionTests|StoreTriageModelTests|StorePeriodListTests|StoreForgetTests|StoreMerge|StoreUndoTests'
	REPORTER_KILLS=$(kills) REPORTER_FAULT_SEEDS=$(if $(SHORT),1,60) swift test --skip-build $(tested) --filter 'ReporterKillTests|RandomFaultTests'
	$(detector) --soak $(if $(SHORT),--objects 200000)
	$(hostile) --slow $(if $(SHORT),5,90) --slow-connections $(if $(SHORT),300,3000) --churn $(if $(SHORT),2000,100000)
	$(hostile) --rounds $(if $(SHORT),1,15) --seconds 5
	Scripts/sanitize-load $(if $(SHORT),1,20)
	Scripts/sanitize-retain-paths thread
	DATABASE_OUTAGES=$(if $(SHORT),1,50) DATABASE_SEEDS=$(if $(SHORT),1,20) Scripts/with-postgresql --unflushed swift test --skip-build $(tested) \
		--filter 'DatabaseFaultTests|SharedModelTests|CopyTests'
	STORM_SEEDS=$(if $(SHORT),1,2000) swift test --skip-build $(tested) --filter StormTests
	$(MAKE) --no-print-directory grouping-score
	REPORTER_SEEDS=$(if $(SHORT),1,300) swift test --skip-build $(tested) --filter ExactlyOnceTests
	FUZZ_SECONDS=$(if $(SHORT),10,3600) Scripts/fuzz

# Hours on a small machine. TARGETS='lint checks' runs some of them alone.
.PHONY: all-targets
all-targets: ## run every target of this file once with its shortest setting, and list those that fail (hours)
	@Scripts/all-targets $(TARGETS)

clean: ## remove what was built
	swift package clean

import LeakSeededRandom
import LeakStatistics
import LeakStore
import Testing

/// Random reports and decisions, in every store and in a model: both agree at every step.
@Suite struct StoreTriageModelTests {
    private static let names = ["A", "B", "C", "D", "UIKnown", "UIOther"]
    private let place = StoreLocation()

    private func action(_ random: inout SeededRandom, now: Int64) -> Decision.Action {
        let actions: [Decision.Action] = [
            .resolve(.newestVersion), .resolve(.nextVersion),
            .resolve(.version(["0.9", "1.0", "1.0.0", "1.1", "2.0"].randomElement(using: &random) ?? "1")),
            .resolve(.newerThan(["0.9", "1.0", "1.0.0", "1.1"].randomElement(using: &random) ?? "1")),
            build(&random), build(&random), build(&random),
            .ignore(nil), .ignore(.until(milliseconds: now + .random(in: 1...(4 * hour), using: &random))),
            .ignore(.nextReports(.random(in: 1...6, using: &random))), .reopen, .note,
        ]
        return actions.randomElement(using: &random) ?? .note
    }

    private func build(_ random: inout SeededRandom) -> Decision.Action {
        .resolve(
            .version(
                ["1.0", "1.0.0", "1.1"].randomElement(using: &random) ?? "1",
                build: ["7", "8", "9", "10"].randomElement(using: &random)))
    }

    @Test(arguments: RandomSeeds.upTo(1))
    func `after random reports and decisions, a store and the model agree`(seed: UInt64) throws {
        let store = try place.store()
        let reader = try store.makeReader(known: KnownLeaks([knownLeakRule("UI*")]))
        var random = SeededRandom(seed: seed)
        var model = TriageModel()
        var now = noon
        for step in 0..<60 {
            // Later versions are used only in later steps.
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let build = TriageModel.Build(
                    version: .random(in: 0...min(step / 8 + 1, 6), using: &random),
                    build: .random(in: 0..<min(3 + step / 8, TriageModel.builds.count), using: &random))
                let report = Report(
                    leak: leak(Self.names.randomElement(using: &random) ?? "A"),
                    version: TriageModel.versions[build.version].text, build: build.name,
                    isFreed: Int.random(in: 0..<4, using: &random) == 0, at: now,
                    count: .random(in: 1...3, using: &random))
                model.count(report.leak.title, in: build, report.count, isFreed: report.isFreed)
                // One by one, so that the order in which the builds are first used is known.
                _ = try store.count([submission([report], at: now)], now: now)
            }
            // The model treats the highest version as the current release.
            if let highest = model.seenVersions.last {
                #expect(try store.pin(TriageModel.versions[highest].text, of: "shop"))
            }
            if Bool.random(using: &random) {
                let name = Self.names.randomElement(using: &random) ?? "A"
                let decision = Decision(action(&random, now: now), note: "n", by: "ada")
                let stored = try store.decide(decision, about: leak(name).id, now: now)
                #expect((stored != nil) == (model.leaks[name] != nil))
                model.decide(decision.action, about: name)
            }
            now += .random(in: 0...hour, using: &random)
            try compare(reader, model, now: now, "seed \(seed), step \(step)")
        }
        #expect(try store.verify() == [])
        try compare(
            place.store().makeReader(known: KnownLeaks([knownLeakRule("UI*")])), model, now: now,
            "another process")
    }

    private func compare(
        _ reader: any StoreReader, _ model: TriageModel, now: Int64, _ step: Comment
    ) throws {
        for (name, expected) in model.leaks {
            let row = try #require(try reader.leak(leak(name).id, now: now)).row
            #expect(row.state == model.state(name, now: now), step)
            #expect(
                row.decisionStatus?.regressedIn
                    == expected.contradictingVersions.first.map { TriageModel.versions[$0].text },
                step)
            #expect(row.decisionStatus?.regressedInBuild == expected.regressedInBuild, step)
            #expect(row.newInBuild == model.newInBuild(name), step)
            #expect(
                (row.decisionStatus == nil) == (expected.resolved == nil && expected.ignored == nil), step)
        }
        for filter in LeakQuery.StateFilter.allCases {
            for kind in [nil, "object"] {
                var query = LeakQuery()
                (query.state, query.kind) = (filter, kind)
                let page = try reader.leaks(query, now: now)
                let names = model.names(filter, now: now)
                #expect(Set(page.leaks.map(\.identity.title)) == names, step)
                #expect(page.total == names.count && page.leaks.count == names.count, step)
                #expect(page.reports == names.reduce(0) { $0 + (model.leaks[$1]?.total ?? 0) }, step)
            }
        }
        let regressed = model.names(.regressed, now: now)
        let overview = try reader.overview(app: "shop", now: now)
        #expect(overview.regressedLeaks == regressed.count, step)
        #expect(overview.newLeaks == model.names(.new, now: now).count, step)
        #expect(Set(overview.regressedLeakTitles).isSubset(of: regressed), step)
        #expect(overview.ignored.leaks == model.names(.ignored, now: now).count, step)
        let releases = try reader.releases(app: "shop")
        #expect(releases.map(\.regressedLeaks) == model.regressedLeaks, step)
        for version in model.seenVersions {
            let text = TriageModel.versions[version].text
            var query = ReleaseCheckQuery(app: "shop", version: text)
            (query.limits.devices, query.limits.reports, query.limits.rate) = (0, 0, 0)
            for build in model.usedBuilds where build.version == version && build.name != nil {
                var query = query
                query.build = build.name
                let found = try #require(try reader.releaseCheck(query, now: now)).leaks
                #expect(
                    Set(found.filter { $0.result.kind == .back }.map(\.row.identity.title))
                        == Set(model.leaks.filter { $0.value.isBack(in: build) }.keys), step)
            }
            let found = try #require(try reader.releaseCheck(query, now: now))
            func titles(_ kind: ReleaseGate.LeakResult.Kind) -> Set<String> {
                Set(found.leaks.filter { $0.result.kind == kind }.map(\.row.identity.title))
            }
            let check = TriageModel.Check(
                baseline: found.baseline?.version, new: titles(.new), regressed: titles(.back),
                setAside: found.setAsideCount)
            #expect(check == model.check(version, now: now), step)
        }
    }
}

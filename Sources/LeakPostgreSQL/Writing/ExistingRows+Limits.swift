#if PostgreSQL
    internal import LeakStore

    extension ExistingRows {
        /// Returns `true` if the aggregate may exceed a limit, or the lower limit for new keys: ``EvictionRule/newKeyLimit(_:)``.
        /// The result is nearly always `false`, and then no exact check is needed.
        mutating func mayExceed(
            _ limits: StoreLimits, adding aggregate: SubmissionAggregate, names: inout NameCache,
            idempotency: inout IdempotencyCache
        ) throws(StoreError) -> Bool {
            // This comes first, because it reads the bytes that the keys have added, which every exact check needs.
            if try bytesMayExceed(limits, adding: aggregate, names: &names, idempotency: &idempotency) {
                return true
            }
            var newReleases: [Int64: Int] = [:]
            var newBuilds: [ReleaseName: Int] = [:]
            for index in aggregate.releases.indices {
                let name = name(ofRelease: index, in: aggregate)
                if releases[name] == nil { newReleases[name.app, default: 0] += 1 }
            }
            for index in aggregate.builds.indices {
                let name = name(ofBuild: index, in: aggregate)
                if builds[name] == nil { newBuilds[name.release, default: 0] += 1 }
            }
            try count(
                releasesOf: Set(newReleases.keys),
                buildsOf: Set(newBuilds.keys.compactMap { releases[$0] }))
            for (app, count) in newReleases
            where releaseCounts[app, default: 0] + count > EvictionRule.newKeyLimit(limits.releasesPerApp) {
                return true
            }
            for (release, count) in newBuilds {
                let buildCount = releases[release].flatMap { buildCounts[$0] } ?? 0
                if buildCount + count > limits.buildsPerRelease { return true }
            }
            return leaksMayExceed(limits, adding: aggregate, names: &names)
        }

        private mutating func bytesMayExceed(
            _ limits: StoreLimits, adding aggregate: SubmissionAggregate, names: inout NameCache,
            idempotency: inout IdempotencyCache
        ) throws(StoreError) -> Bool {
            var texts = newTextBytes(of: aggregate)
            texts.merge(
                aggregate.cellBytes { mayBeNew(aggregate.cells[$0], in: aggregate, &names) },
                uniquingKeysWith: +)
            let unreadKeys = idempotency.unreadKeys(texts.keys)
            if !unreadKeys.isEmpty { try read(unreadKeys, &idempotency) }
            return texts.contains {
                idempotency.use(of: $0).textBytes + $1 > limits.leakTextBytesPerKeyAndDay
            }
        }

        /// Returns the bytes of the leaks, versions and builds that the database does not have, by ingest key.
        func newTextBytes(of aggregate: SubmissionAggregate) -> [Int64: Int] {
            var bytes: [Int64: Int] = [:]
            for leak in aggregate.leaks where leaks[leak.identity.id] == nil && !leak.identity.isOverLimit {
                bytes[leak.key, default: 0] += leak.identity.storedBytes
            }
            for (index, release) in aggregate.releases.enumerated() where release.version != StoreLimits.other
            {
                guard releases[name(ofRelease: index, in: aggregate)] == nil else { continue }
                bytes[release.key, default: 0] += DetailBytes.ofVersion(release.version)
            }
            for (index, build) in aggregate.builds.enumerated() where build.name != StoreLimits.other {
                guard builds[name(ofBuild: index, in: aggregate)] == nil else { continue }
                bytes[build.key, default: 0] += DetailBytes.ofVersion(build.name)
            }
            return bytes
        }

        private func leaksMayExceed(
            _ limits: StoreLimits, adding aggregate: SubmissionAggregate, names: inout NameCache
        ) -> Bool {
            struct Growth {
                var leaks = 0
                var textBytes = 0
                var cells = 0
            }
            var growth = [Growth](repeating: Growth(), count: aggregate.apps.count)
            for leak in aggregate.leaks {
                let state = leaks[leak.identity.id]
                if state == nil {
                    growth[leak.app].leaks += 1
                    growth[leak.app].textBytes += leak.identity.storedBytes
                }
                let newCellCount = leak.cells.count { mayBeNew(aggregate.cells[$0], in: aggregate, &names) }
                growth[leak.app].cells += newCellCount
                if newCellCount > 0, (state?.builds ?? 0) + newCellCount > limits.buildsPerLeak {
                    return true
                }
            }
            return zip(aggregate.apps, growth).contains { app, growth in
                guard let storedApp = apps[app.key] else { return false }
                return growth.leaks > 0
                    && storedApp.leaks + growth.leaks > EvictionRule.newKeyLimit(limits.leaksPerApp)
                    || growth.textBytes > 0
                        && storedApp.textBytes + growth.textBytes
                            > EvictionRule.newKeyLimit(limits.leakTextBytesPerApp)
                    || growth.cells > 0 && storedApp.cells + growth.cells > limits.leakBuildsPerApp
            }
        }

        /// Returns `false` if this collector knows that the database already has the cell.
        private func mayBeNew(
            _ cell: SubmissionAggregate.LeakBuildCount, in aggregate: SubmissionAggregate,
            _ names: inout NameCache
        ) -> Bool {
            guard let leak = leaks[aggregate.leaks[cell.leak].identity.id],
                let build = builds[name(ofBuild: cell.build, in: aggregate)]
            else { return true }
            let name = LeakBuildKey(leak: leak.id, build: build)
            return names.cells.value(of: name) == nil && !cells.contains(name)
        }
    }
#endif

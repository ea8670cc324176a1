#if PostgreSQL
    internal import LeakStore

    /// The details that a transaction adds: reports as samples, values of leaks such as system versions, and classes of checks.
    /// The bytes that one ingest key adds with them on a day are limited.
    struct Details {
        /// A report that may be stored in a sample slot.
        struct Sample {
            /// Index of the leak in the aggregate.
            var leak: Int
            /// Row ID of the leak.
            var leakRowID: Int64
            var candidate: SampleChoice.Candidate
            /// The body without private data.
            var body: [UInt8]
            /// Bytes that the sample takes, as ``DetailBytes`` counts them.
            var bytes: Int
        }

        /// A value of a leak, such as a system version.
        struct Value {
            /// Index of the leak in the aggregate.
            var leak: Int
            /// Row ID of the leak.
            var leakRowID: Int64
            /// The value. Its text is empty if the value is counted together with other values, without its own text.
            var aggregatedValue: SubmissionAggregate.Value
            /// Identifies the value by its leak, its kind and its text as it was sent.
            let name: HashedName
            var reports = 1
            /// `true` if the text of the value is empty because its leak has reached the limit of different values.
            var isOverValueLimit = false

            /// Bytes that the value takes, as ``DetailBytes`` counts them.
            var bytes: Int { aggregatedValue.text.isEmpty ? 0 : DetailBytes.ofValue(aggregatedValue.text) }
        }

        /// Checks of a class that the build may not have yet.
        struct CheckedClass {
            /// The number of checks of the class in the build. The class is named ``StoreLimits/other`` if it is not counted
            /// under its own name.
            var row: CappedCounts.Row
            /// The ingest keys that sent the class. Its bytes count for the first key.
            var keys: [Int64]

            /// Bytes that the class takes, as ``DetailBytes`` counts them.
            var bytes: Int { row.name == StoreLimits.other ? 0 : DetailBytes.ofCheck(row.name) }
            var name: HashedName { HashedName(owner: row.owner, hash: HashedName.hash(of: row.name)) }
        }

        private struct ValueOwner: Hashable {
            var leakRowID: Int64
            var kind: ValueKind
        }

        private struct SampleKey: Hashable {
            var leakRowID: Int64
            var slot: Int
        }

        /// The samples to write; before ``limit(by:_:_:on:)``, all candidates.
        private(set) var samples: [Sample] = []
        private(set) var values: [Value] = []
        private(set) var checks: [CheckedClass] = []
        /// By index of the leak in the aggregate: the number of samples that were left out because of the limit of bytes, plus
        /// the number of reports whose value is counted without its text because of this limit.
        private(set) var leftOutCounts: [Int: Int] = [:]
        /// Number of checks that are counted as `other` because of the limit of bytes, by row ID of the app.
        private(set) var unnamedChecks: [Int64: Int] = [:]

        /// The ingest keys that add details.
        var keys: Set<Int64> {
            Set(samples.map(\.candidate.key)).union(values.map(\.aggregatedValue.key)).union(
                checks.map(\.keys[0]))
        }

        /// SQL for the bytes of a row `s` of `sample`, as ``DetailBytes`` counts them.
        static let sampleBytesSQL = """
            greatest(case when s.slot = \(SampleSlot.newest) then \(DetailBytes.ofNewestSample) else 0 end,
              \(DetailBytes.ofSampleRow) + octet_length(s.body) + octet_length(s.version)
              + coalesce(octet_length(s.build), 0) + coalesce(octet_length(s.system), 0)
              + coalesce(octet_length(s.model), 0) + coalesce(octet_length(s.install), 0)
              + coalesce(octet_length(s."user"), 0))::bigint
            """

        /// Returns SQL for the values `new` that get a row of their own: their leak has no such row, and is below its limit of
        /// rows. Up to the limit, the values that come first in byte order get a row, as in ``WriteBatch/valuesUpsert()``.
        ///
        /// - Parameters:
        ///   - columnsSQL: SQL of the selected columns.
        ///   - new: SQL of a table `new` with the columns `leak`, `kind` and `value`.
        ///   - leaksSQL: SQL of an array of the leaks.
        ///   - limitSQL: SQL of the number of values of one kind that a leak counts separately.
        static func newValuesSQL(columnsSQL: String, of new: String, leaksSQL: String, limitSQL: String)
            -> String
        {
            """
            select \(columnsSQL) from (
              select new.*, dense_rank() over (partition by new.leak, new.kind order by new.value collate "C") as rank
              from \(new)
              where new.value <> '' and not exists (
                select 1 from leak_value v where v.leak = new.leak and v.kind = new.kind and v.value = new.value)
            ) as new left join (
              select leak, kind, count(*) as names from leak_value
              where leak = any(\(leaksSQL)) and value <> '' group by leak, kind
            ) as there on there.leak = new.leak and there.kind = new.kind
            where coalesce(there.names, 0) + new.rank <= \(limitSQL)
            """
        }

        /// Returns SQL for the classes `new` that get a row of their own: their build has no such row, and is below its limit
        /// of rows.
        ///
        /// - Parameters:
        ///   - columnsSQL: SQL of the selected columns.
        ///   - new: SQL of a table `new` with the columns `build` and `class`.
        ///   - buildsSQL: SQL of an array of the builds.
        ///   - limitSQL: SQL of the number of classes that one build counts separately.
        static func newChecksSQL(columnsSQL: String, of new: String, buildsSQL: String, limitSQL: String)
            -> String
        {
            """
            select \(columnsSQL) from (
              select new.*, dense_rank() over (partition by new.build order by new.class collate "C") as rank
              from \(new)
              where not exists (
                select 1 from build_check c where c.build = new.build and c.class = new.class)
            ) as new left join (
              select build, count(*) as classes from build_check
              where build = any(\(buildsSQL)) and class <> 'other' group by build
            ) as there on there.build = new.build
            where coalesce(there.classes, 0) + new.rank <= \(limitSQL)
            """
        }

        mutating func add(
            _ candidates: [SampleChoice.Candidate], bodies: [[UInt8]], of leak: Int, leakRowID: Int64,
            from submissions: [Submission]
        ) {
            for (sample, body) in zip(candidates, bodies) {
                let submission = submissions[sample.sightingIndex.submission]
                let origin = submission.origins[
                    submission.sightings[sample.sightingIndex.sighting].originIndex]
                samples.append(
                    Sample(
                        leak: leak, leakRowID: leakRowID, candidate: sample, body: body,
                        bytes: DetailBytes.ofSample(body, from: origin, inSlot: sample.slot)))
            }
        }

        mutating func add(_ values: [SubmissionAggregate.Value], of leak: Int, leakRowID: Int64) {
            for value in values {
                let name = HashedName(leak: leakRowID, value.kind, hash: HashedName.hash(of: value.text))
                self.values.append(
                    Value(leak: leak, leakRowID: leakRowID, aggregatedValue: value, name: name))
            }
        }

        mutating func add(_ value: Value) { values.append(value) }

        mutating func add(_ check: CappedCounts.Row, keys: [Int64]) {
            checks.append(CheckedClass(row: check, keys: keys))
        }

        // MARK: Limit

        /// Leaves out details beyond the limit of bytes that an ingest key may add on a day.
        ///
        /// Nearly always, the details would be within the limit even if all of them were new. Then the existing details are not
        /// read from the database.
        mutating func limit(
            by limits: StoreLimits, _ existing: ExistingRows,
            _ idempotency: inout IdempotencyCache, on connection: PostgreSQLConnection
        ) throws(StoreError) {
            var addedBytes: [Int64: Int] = [:]
            for sample in samples { addedBytes[sample.candidate.key, default: 0] += sample.bytes }
            for value in values { addedBytes[value.aggregatedValue.key, default: 0] += value.bytes }
            for check in checks {
                for key in check.keys { addedBytes[key, default: 0] += check.bytes }
            }
            guard !addedBytes.isEmpty else { return }
            let unreadKeys = idempotency.unreadKeys(addedBytes.keys)
            if !unreadKeys.isEmpty { try existing.read(unreadKeys, &idempotency) }
            let limit = limits.detailBytesPerKeyAndDay
            var usedBytes = Dictionary(
                uniqueKeysWithValues: addedBytes.keys.map {
                    ($0, idempotency.use(of: $0).detailBytes)
                })
            guard addedBytes.contains(where: { usedBytes[$0.key, default: 0] + $0.value > limit / 2 }) else {
                chooseSamples { _ in true }
                return
            }
            let answers = try connection.run([
                storedSamplesQuery, newValuesQuery, newChecksQuery,
            ])
            var storedSampleBytes: [SampleKey: Int] = [:]
            for row in answers[0] {
                storedSampleBytes[SampleKey(leakRowID: row.int64(0), slot: row.int(1))] = row.int(2)
            }

            func admit(_ bytes: Int, key: Int64, within limit: Int) -> Bool {
                let use = usedBytes[key, default: 0]
                guard bytes <= 0 || use + bytes <= limit else { return false }
                usedBytes[key] = use + bytes
                return true
            }
            // In the same order as ``SQLiteStore``: checks by build and name, then samples, then values.
            var buildOrder: [Int64: Int] = [:]
            for check in checks where buildOrder[check.row.owner] == nil {
                buildOrder[check.row.owner] = buildOrder.count
            }
            func comesFirst(_ one: Details.CheckedClass, _ other: Details.CheckedClass) -> Bool {
                let buildIndexes = (buildOrder[one.row.owner] ?? 0, buildOrder[other.row.owner] ?? 0)
                guard buildIndexes.0 == buildIndexes.1 else { return buildIndexes.0 < buildIndexes.1 }
                return one.row.name.utf8.lexicographicallyPrecedes(other.row.name.utf8)
            }
            var classCounts: [Int64: Int] = [:]
            for row in answers[2] { classCounts[checks[row.int(0) - 1].row.owner] = row.int(1) }
            for index in answers[2].map({ $0.int(0) - 1 }).sorted(by: { comesFirst(checks[$0], checks[$1]) })
            {
                guard checks[index].row.name != StoreLimits.other else { continue }
                let (build, classCount) = (checks[index].row.owner, classCounts[checks[index].row.owner] ?? 0)
                // A class beyond the limit of its build is written as `other`, and takes no bytes.
                guard classCount < limits.checkClassesPerBuild else { continue }
                let bytes = checks[index].bytes
                if let key = checks[index].keys.first(where: { admit(bytes, key: $0, within: limit / 2) }) {
                    checks[index].keys = [key]
                    classCounts[build] = classCount + 1
                } else {
                    unnamedChecks[checks[index].row.app, default: 0].addBounded(checks[index].row.count)
                    checks[index].row.name = StoreLimits.other
                }
            }
            var leftOutReports: Set<SampleKey> = []
            var leftOutSamples: [Int: Int] = [:]
            chooseSamples { sample in
                let growth =
                    sample.bytes
                    - storedSampleBytes[
                        SampleKey(leakRowID: sample.leakRowID, slot: sample.candidate.slot), default: 0]
                let isFirst = sample.candidate.slot == SampleSlot.first
                if admit(growth, key: sample.candidate.key, within: isFirst ? limit : limit / 2) {
                    return true
                }
                if leftOutReports.insert(
                    SampleKey(leakRowID: sample.leakRowID, slot: sample.candidate.ordinal)
                ).inserted {
                    leftOutSamples[sample.leak, default: 0] += 1
                }
                return false
            }
            leftOutCounts = leftOutSamples
            var admittedValues: Set<HashedName> = []
            var remainingValueCounts: [ValueOwner: Int] = [:]
            for (index, names) in answers[1].map({ ($0.int(0) - 1, $0.int(1)) }) {
                let owner = ValueOwner(
                    leakRowID: values[index].leakRowID, kind: values[index].aggregatedValue.kind)
                let remainingCount = remainingValueCounts[owner] ?? ValueKind.limit - names
                guard !admittedValues.contains(values[index].name) else { continue }
                if remainingCount <= 0 {
                    // The value is counted without its text, and takes no bytes.
                    values[index].aggregatedValue.text = ""
                    values[index].isOverValueLimit = true
                } else if admit(
                    values[index].bytes, key: values[index].aggregatedValue.key, within: limit / 2)
                {
                    admittedValues.insert(values[index].name)
                    remainingValueCounts[owner] = remainingCount - 1
                } else {
                    values[index].aggregatedValue.text = ""
                    leftOutCounts[values[index].leak, default: 0].addBounded(values[index].reports)
                }
            }
        }

        /// Keeps, for each sample slot, the first candidate that `admit` accepts.
        private mutating func chooseSamples(admit: (Sample) -> Bool) {
            var chosenSamples: [Sample] = []
            for sample in samples {
                let isChosen = chosenSamples.last.map {
                    $0.leakRowID == sample.leakRowID && $0.candidate.slot == sample.candidate.slot
                }
                if isChosen != true, admit(sample) { chosenSamples.append(sample) }
            }
            samples = chosenSamples
        }

        private var storedSamplesQuery: Query {
            Query(
                """
                select s.leak, s.slot, \(Self.sampleBytesSQL)
                from unnest($1::bigint[], $2::bigint[]) as asked (leak, slot)
                join sample s on s.leak = asked.leak and s.slot = asked.slot
                """, .integers(samples.map(\.leakRowID)), .integers(samples.map(\.candidate.slot)))
        }

        /// A query for the values that their leak does not have yet: the position of each in ``values``, and the number of
        /// values of its kind that the leak has.
        private var newValuesQuery: Query {
            Query(
                Self.newValuesSQL(
                    columnsSQL: "new.index, coalesce(there.names, 0)",
                    of:
                        "unnest($1::bigint[], $2::bigint[], $3::text[]) with ordinality as new (leak, kind, value, index)",
                    leaksSQL: "$1::bigint[]", limitSQL: "\(Int64.max)") + " order by new.index",
                .integers(values.map(\.leakRowID)), .integers(values.map(\.aggregatedValue.kind.rawValue)),
                .texts(values.map(\.aggregatedValue.text)))
        }

        /// A query for the classes that their build does not have yet: the position of each in ``checks``, and the number of
        /// classes that the build has.
        private var newChecksQuery: Query {
            Query(
                Self.newChecksSQL(
                    columnsSQL: "new.index, coalesce(there.classes, 0)",
                    of: "unnest($1::bigint[], $2::text[]) with ordinality as new (build, class, index)",
                    buildsSQL: "$1::bigint[]", limitSQL: "\(Int64.max)"),
                .integers(checks.map(\.row.owner)), .texts(checks.map(\.row.name)))
        }
    }
#endif

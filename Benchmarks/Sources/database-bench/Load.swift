#if PostgreSQL
    import LeakStore

    /// Makes batches of reports as apps send them: a few leaks cause most of the reports.
    struct Load {
        private var state: UInt64
        private let leaks: [LeakIdentity]
        private var sent = 0
        private let prefix: String
        private let keyID: Int64

        init(seed: UInt64, leaks count: Int, app: String, keyID: Int64 = 1) {
            state = seed
            self.keyID = keyID
            prefix = "\(seed)"
            leaks = (0..<count).map { Load.leak($0, of: app) }
        }

        static func leak(_ number: Int, of app: String) -> LeakIdentity {
            var hash: UInt64 = 0xcbf2_9ce4_8422_2325
            for byte in "\(app)/\(number)".utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
            let name = "Screen\(number)ViewController"
            let path = ["UINavigationController", "HomeViewController", name]
            return LeakIdentity(
                id: LeakID(high: hash | 1, low: hash &* 31), app: app, kind: "view_controller",
                className: name, module: "Shop", title: name, stack: path, children: [], cycle: [],
                quality: .full, groupingKey: GroupingKey(version: 1, className: name, stack: path))
        }

        private mutating func draw(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(bound))
        }

        /// Makes the batch of one phone, with an idempotency key of its own.
        mutating func batch(reports: Int, now: Int64) -> Submission {
            let install = UInt64(draw(100_000))
            let body = Array(#"{"class":"x","message":"still in memory","path":["a","b","c"]}"#.utf8)
            var batch = Submission(keyID: keyID, receivedAt: now)
            batch.origins = [
                Submission.Origin(
                    app: leaks[0].app, version: "5.\(draw(3)).0", build: "\(draw(2))",
                    system: "iOS 19.\(draw(4))", model: "iPhone17,\(draw(8))",
                    installHash: install &* 0x9E37_79B9)
            ]
            batch.body = body
            batch.sightings = (0..<reports).map { _ in
                // The product of two random numbers, so that leaks with small numbers are frequent.
                let place = draw(1_000) * draw(1_000) * leaks.count / 1_000_000
                return Submission.Sighting(
                    leak: leaks[place], originIndex: 0, isFreed: draw(10) == 0, at: now, count: 1, alive: nil,
                    livedMilliseconds: 900, jsonRange: 0..<body.count)
            }
            sent += 1
            batch.idempotency = Submission.Idempotency(
                key: "\(prefix)-\(sent)", bodyHash: [UInt8](repeating: 1, count: 32))
            batch.response = Array(#"{"accepted":\#(reports),"rejected":0}"#.utf8)
            return batch
        }
    }
#endif

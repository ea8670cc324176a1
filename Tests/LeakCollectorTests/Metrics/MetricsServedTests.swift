import Foundation
import LeakCollectorSupport
import LeakHTTPClient
import LeakPlatform
import LeakStore
import Testing

@testable import LeakCollector

/// The answers of `/metrics`, at the address of the pages and at an address of its own.
@Suite struct MetricsServedTests {
    private static let noon: Int64 = 1_795_176_000_000

    private static func report(_ app: String, _ more: String = "") -> String {
        #"{"app":{"id":"\#(app)","version":"2.0"},"install":"i","reports":[{"class":"Shop.Cart","count":3},{"class":"Shop.List"}]\#(more)}"#
    }

    /// Returns the value of each sample by its name and labels.
    private func samples(_ answer: HTTPResponse) throws -> [String: Double] {
        #expect(answer.status == 200)
        var samples: [String: Double] = [:]
        for line in answer.text.split(separator: "\n") where !line.hasPrefix("#") {
            let space = try #require(line.lastIndex(of: " "))
            let value = try #require(Double(line[line.index(after: space)...]))
            #expect(samples.updateValue(value, forKey: String(line[..<space])) == nil, "\(line)")
        }
        return samples
    }

    private func token(_ running: RunningCollector, app: String) throws -> HTTPField {
        let made = try running.post(
            #"{"name":"limited to \#(app)","role":"viewer","app":"\#(app)"}"#, to: "/api/v1/tokens",
            fields: [HTTPField("Authorization", "Bearer \(RunningCollector.token)")])
        return HTTPField("Authorization", "Bearer \(try #require(try made.json["secret"] as? String))")
    }

    private func getWithoutToken(_ address: String) throws -> HTTPResponse {
        var options = HTTPClient.Options()
        options.usesProxy = false
        return try HTTPClient(options).get(address, fields: [])
    }

    @Test func `a collector with backups and an app has every metric, each with its comments`() throws {
        let backups = NSTemporaryDirectory() + "metrics-backups-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: backups) }
        // No event is sent to it.
        let channel = try Channel("https://example.com/")
        let running = try RunningCollector({
            $0.backupFolder = backups
            $0.channels = [channel]
        })
        #expect(try running.post(Self.report("shop")).status == 200)
        // The thread of the backups makes the first one soon after the start.
        let deadline = ContinuousClock.now + .seconds(30)
        var answer = try running.get("/metrics")
        while !answer.text.contains(Metric.lastBackupTime.rawValue), ContinuousClock.now < deadline {
            answer = try running.get("/metrics")
        }
        #expect(answer.field("Content-Type") == "text/plain; version=0.0.4; charset=utf-8")
        #expect(answer.field("Cache-Control") == "no-store")
        let types = answer.text.matches(of: /# TYPE ([a-z_]+) ([a-z]+)\n/).map { "\($0.1) \($0.2)" }
        #expect(Set(types) == Set(Metric.allCases.map { "\($0.rawValue) \($0.kind)" }))
        #expect(types.count == Metric.allCases.count)
    }

    @Test func `batches count by result, and rejected batches by the kind of their problem`() throws {
        let running = try RunningCollector()
        let key = HTTPField("Authorization", "Bearer \(RunningCollector.key)")
        let once = [key, HTTPField("Idempotency-Key", "one")]
        let body = Self.report("shop", #","dropped":{"budget":5,"made_up":2,"unseen":1}"#)
        #expect(try running.post(body, fields: once).status == 200)
        #expect(try running.post(body, fields: once).status == 200)
        #expect(try running.post(Self.report("shop"), fields: once).status == 422)
        #expect(try running.post(#"{"reports":[{"class":"A"},{"class":7},{"class":8}]}"#).status == 200)
        #expect(try running.post("{").status == 400)
        #expect(try running.post("{}", "text/html").status == 415)
        #expect(try running.post("{}", fields: []).status == 401)
        #expect(try running.post("{}", to: "/api/1/store/", fields: []).status == 403)
        let deflated = [key, HTTPField("Content-Encoding", "gzip")]
        // Inflated on the event loop, and on a thread of the pool.
        for count in [9, 9_000] {
            let damaged = [UInt8](repeating: 0x1f, count: count)
            #expect(try running.post(damaged, fields: deflated).status == 400)
        }
        #expect(try running.post("{}", fields: [key, HTTPField("Content-Encoding", "zstd")]).status == 415)
        let long = String(repeating: " ", count: Settings().bodyBytes + 1)
        #expect(try running.post(long).status == 413)
        #expect(try running.post(long, to: "/nowhere").status == 413)
        #expect(try running.post(long, fields: []).status == 413)

        let found = try samples(running.get("/metrics"))
        let batches = { (result: String) in found["leak_collector_batches_total{result=\"\(result)\"}"] }
        #expect(batches("counted") == 2 && batches("repeated") == 1 && batches("reused_key") == 1)
        #expect(batches("failed") == 0)
        #expect(found["leak_collector_accepted_reports_total"] == 5)
        #expect(found["leak_collector_rejected_reports_total{reason=\"invalid\"}"] == 2)
        let dropped = { (reason: String) in
            found["leak_collector_dropped_reports_total{reason=\"\(reason)\"}"]
        }
        #expect(dropped("budget") == 5 && dropped("other") == 3 && dropped("unseen") == 0)
        for (kind, count) in [
            "reused-idempotency-key": 1, "invalid-reports": 1, "unsupported-media-type": 2, "unauthorized": 2,
            "invalid-sentry-key": 1, "overloaded": 0, "bad-request": 2, "content-too-large": 1,
        ] as [String: Double] {
            #expect(found["leak_collector_rejected_batches_total{problem=\"\(kind)\"}"] == count, "\(kind)")
        }
        #expect(try #require(found["leak_collector_commit_duration_seconds_count"]) >= 2)
        #expect(found["leak_collector_failed_commits_total"] == 0)
        #expect(found["leak_collector_commit_queue_batches"] == 0)
        #expect(try #require(found["leak_collector_database_bytes"]) > 4096)
        #expect(found["leak_collector_database_limit_bytes"] == Double(16 << 30))
    }

    @Test func `values of an app are those of the overview, and are read again after 30 seconds`() throws {
        let clock = Guarded(Self.noon)
        let running = try RunningCollector(now: { clock.with { $0 } })
        let sessions =
            #","sessions":[{"id":"a","checks":9,"leaks":1},{"id":"b","checks":9},{"id":"c","checks":9}]"#
        #expect(try running.post(Self.report("shop", sessions)).status == 200)
        let labels = #"{app="shop",environment="production"}"#
        let first = try samples(running.get("/metrics"))
        #expect(first["leak_collector_app_sessions\(labels)"] == 3)
        #expect(first["leak_collector_app_leak_free_sessions\(labels)"] == 2)
        #expect(first["leak_collector_app_leaks_to_fix\(labels)"] == 2)
        #expect(first["leak_collector_app_new_leaks\(labels)"] == 2)
        #expect(first["leak_collector_app_regressed_leaks\(labels)"] == 0)
        #expect(first["leak_collector_app_recent_reports\(labels)"] == 4)
        #expect(
            first[
                #"leak_collector_app_current_release_info{app="shop",environment="production",version="2.0"}"#
            ]
                == 1)
        #expect(first["leak_collector_apps"] == 1 && first["leak_collector_apps_omitted"] == 0)

        #expect(try running.post(Self.report("bank")).status == 200)
        clock.with { $0 += MetricsHandler.cacheMilliseconds - 1 }
        let cached = try samples(running.get("/metrics"))
        #expect(cached["leak_collector_apps"] == 1)
        // Counters are never cached.
        #expect(cached["leak_collector_accepted_reports_total"] == 8)
        clock.with { $0 += 1 }
        #expect(try samples(running.get("/metrics"))["leak_collector_apps"] == 2)
        // A clock that is set back.
        #expect(try running.post(Self.report("third")).status == 200)
        clock.with { $0 -= 3_600_000 }
        #expect(try samples(running.get("/metrics"))["leak_collector_apps"] == 3)
    }

    @Test func `at most 50 apps have metrics, and an app keeps them while it is seen`() throws {
        let clock = Guarded(Self.noon)
        let running = try RunningCollector(now: { clock.with { $0 } })
        let shown = { (found: [String: Double]) in
            Set(
                found.keys.compactMap {
                    $0.firstMatch(of: /^leak_collector_app_leaks_to_fix\{app="([a-z0-9]+)"/).map {
                        String($0.1)
                    }
                })
        }
        for number in 0..<MetricsHandler.maxApps {
            #expect(try running.post(Self.report("app\(number)")).status == 200)
        }
        let first = shown(try samples(running.get("/metrics")))
        #expect(first.count == MetricsHandler.maxApps)
        clock.with { $0 += MetricsHandler.cacheMilliseconds }
        #expect(try running.post(Self.report("late")).status == 200)
        let second = try samples(running.get("/metrics"))
        #expect(shown(second) == first)
        #expect(second["leak_collector_apps_omitted"] == 1 && second["leak_collector_apps"] == 51)
        clock.with { $0 += MetricsHandler.stickyMilliseconds }
        #expect(shown(try samples(running.get("/metrics"))).contains("late"))
    }

    @Test func `a token that is limited to one app gets the values of its app and no others`() throws {
        let running = try RunningCollector()
        #expect(try running.post(Self.report("shop")).status == 200)
        #expect(try running.post(Self.report("bank")).status == 200)
        let (shop, bank) = (try token(running, app: "shop"), try token(running, app: "bank"))
        for (app, field) in [("shop", shop), ("bank", bank), ("shop", shop)] {
            let answer = try running.get("/metrics", fields: [field])
            let found = try samples(answer)
            #expect(found["leak_collector_apps"] == 1)
            #expect(found.count == 9)
            #expect(
                found.keys.allSatisfy { $0.hasPrefix("leak_collector_apps") || $0.contains("app=\"\(app)\"") }
            )
        }
        // The values of a limited token are not shown to others.
        #expect(try samples(running.get("/metrics"))["leak_collector_apps"] == 2)
    }

    @Test func `the metrics need a token, and accept no parameters`() throws {
        let running = try RunningCollector()
        #expect(try running.get("/metrics", fields: []).status == 401)
        let key = HTTPField("Authorization", "Bearer \(RunningCollector.key)")
        #expect(try running.get("/metrics", fields: [key]).status == 401)
        #expect(try running.get("/metrics?app=shop").status == 400)
        #expect(try running.get("/metrics", fields: [key]).status == 401)
        let found = try samples(running.get("/metrics"))
        #expect(found["leak_collector_failed_sign_ins_total{method=\"bearer\"}"] == 2)
    }

    @Test func `an address of its own has the metrics without a token, and nothing else`() throws {
        let running = try RunningCollector({ $0.metricsListen = ("127.0.0.1", 0) })
        #expect(try running.post(Self.report("shop")).status == 200)
        let address = try #require(running.collector.startupInfo.metricsAddress)
        #expect(!address.hasPrefix(running.address + "/"))
        let found = try samples(getWithoutToken(address))
        #expect(found["leak_collector_accepted_reports_total"] == 4)
        #expect(found.keys.contains { $0.contains("app=\"shop\"") })
        // The counters are those of the server with the pages. A loop updates them at the end of its turn.
        let deadline = ContinuousClock.now + .seconds(30)
        var requests = found["leak_collector_http_requests_total"]
        while requests != 1, ContinuousClock.now < deadline {
            requests = try samples(getWithoutToken(address))["leak_collector_http_requests_total"]
        }
        #expect(requests == 1)
        let root = address.dropLast("/metrics".count)
        for path in ["/", "/api/v1/leaks", "/healthz", "/metrics/"] {
            #expect(try getWithoutToken(root + path).status == 404, "\(path)")
        }
        var options = HTTPClient.Options()
        options.usesProxy = false
        let posted = try HTTPClient(options).post([], to: address, fields: [])
        #expect(posted.status == 405 && posted.field("Allow") == "GET, HEAD")
    }

    @Test func `without the database the values of the process are left`() throws {
        let counting = Guarded<CountingStore?>(nil)
        let running = try RunningCollector(store: { store in
            let wrapped = CountingStore(store: store)
            counting.with { $0 = wrapped }
            return wrapped
        })
        let limited = try token(running, app: "shop")
        counting.with { $0?.reads.summaryError.with { $0 = StoreError(.unavailable, "gone") } }
        let found = try samples(running.get("/metrics"))
        #expect(found["leak_collector_database_readable"] == 0)
        #expect(found["process_start_time_seconds"] != nil)
        #expect(found["leak_collector_database_bytes"] == nil && found["leak_collector_apps"] == nil)
        #expect(found["leak_collector_database_limit_bytes"] != nil)
        #expect(try running.get("/metrics", fields: [limited]).status == 503)
    }
}

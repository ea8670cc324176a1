// An app that leaks, for tests that kill it. It writes lines to standard output, each of them immediately:
//
//     recorded 3      before the third sighting is recorded
//     stored 3        when three sightings are on disk and survive the end of the app
//     refused true    after it has turned collection off, before it calls `_exit`; `true` if the choice is on disk
//     done …          the statistics of the reporter, at the end

import Foundation
import LeakMessage
import LeakReporter

let options = try AppOptions(CommandLine.arguments.dropFirst())
var configuration = LeakReporter.Configuration(
    endpoint: options.endpoint, key: options.key,
    app: AppInfo(id: "com.acme.kills", version: options.version),
    install: .none)
configuration.storage = .folder(options.folder)
if !options.pin.isEmpty { configuration.pinnedPublicKeys = [options.pin] }
// The app sends many small batches in the short time for which it runs.
configuration.bounds.gatherMilliseconds = 5
configuration.bounds.gatherRepeatsMilliseconds = 20
configuration.bounds.batchReports = 5
configuration.bounds.reportsPerSession = .max
configuration.bounds.bytesPerDay = .max
let reporter = LeakReporter(configuration)
reporter.startSession()

var output = Output()

for number in 0..<options.count {
    output.printLine("recorded \(number + 1)")
    var leak = LeakReport()
    leak.className = options.leaks > 1 ? "\(options.className)_\(number % options.leaks)" : options.className
    // The check is recorded before the leak, so that it survives if the leak survives.
    reporter.record(checks: [ClassChecks(className: options.className, count: 1)])
    reporter.record(leak: leak)
    if options.sendsImmediately { reporter.sendUnsentReports() }
    if options.pauseMilliseconds > 0 {
        Thread.sleep(forTimeInterval: Double(options.pauseMilliseconds) / 1000)
    }
    output.printStored(reporter.statistics.stored)
    guard options.waits else { continue }
    while output.lastPrintedStored <= number {
        Thread.sleep(forTimeInterval: 0.001)
        output.printStored(reporter.statistics.stored)
    }
    guard readLine() != nil else { break }
}

if options.exits { exit(0) }
if options.refuses {
    output.printLine("refused \(reporter.setCollectionEnabled(false))")
    _exit(0)
}

// Each flush starts another attempt immediately, even during the reporter's back-off.
let deadline = Date().addingTimeInterval(options.flushSeconds)
while !reporter.flush(timeout: 0.2), Date() < deadline {}
output.printStored(reporter.statistics.stored)
output.printLine("done \(reporter.statistics)")

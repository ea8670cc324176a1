// An app that leaks, for tests that kill it. It prints to standard output, one line each and at once:
//
//     recorded 3      before the third sighting is recorded
//     stored 3        when three of them survive the app's end
//     refused true    when it ends with `_exit` right after collecting was ended; whether that is on the disk
//     done …          what became of them, at the end

import Foundation
import LeakMessage
import LeakReporter

let options = try AppOptions(CommandLine.arguments.dropFirst())
var configuration = LeakReporter.Configuration(
    endpoint: options.endpoint, key: options.key,
    app: AppInfo(id: "com.acme.kills", version: options.version),
    install: .none)
configuration.storage = .folder(options.folder)
// Many small batches in a short life.
configuration.bounds.gatherMilliseconds = 5
configuration.bounds.gatherRepeatsMilliseconds = 20
configuration.bounds.batchReports = 5
configuration.bounds.reportsPerSession = .max
configuration.bounds.bytesPerDay = .max
let reporter = LeakReporter(configuration)
reporter.startSession()

var output = Output()

for number in 0..<options.count {
    output.say("recorded \(number + 1)")
    var leak = LeakReport()
    leak.className = options.leaks > 1 ? "\(options.className)_\(number % options.leaks)" : options.className
    // Recorded before the leak: if the leak survives, the check survives too.
    reporter.record(checks: [ClassChecks(className: options.className, count: 1)])
    reporter.record(leak: leak)
    if options.hurries { reporter.sendUnsentReports() }
    if options.pauseMilliseconds > 0 {
        Thread.sleep(forTimeInterval: Double(options.pauseMilliseconds) / 1000)
    }
    output.printStored(reporter.statistics.stored)
    guard options.waits else { continue }
    while output.stored <= number {
        Thread.sleep(forTimeInterval: 0.001)
        output.printStored(reporter.statistics.stored)
    }
    guard readLine() != nil else { break }
}

if options.exits { exit(0) }
if options.refuses {
    output.say("refused \(reporter.setCollectionEnabled(false))")
    _exit(0)
}

// Each flush starts another attempt at once, however long the reporter's own back-off is.
let deadline = Date().addingTimeInterval(options.flushSeconds)
while !reporter.flush(timeout: 0.2), Date() < deadline {}
output.printStored(reporter.statistics.stored)
output.say("done \(reporter.statistics)")

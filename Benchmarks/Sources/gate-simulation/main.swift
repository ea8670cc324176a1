import Foundation
import LeakSeededRandom
import LeakStatistics

// Simulates pairs of releases and counts the results of the release gate. The same arguments give the same table.

let arguments = CommandLine.arguments.dropFirst()
if arguments.contains("--help") || arguments.contains("-h") {
    print(
        """
        usage: gate-simulation [--pairs 10000] [--seed 1]

        Simulates pairs of releases of one app, and lets the release gate compare the second with the first: leak rates from
        0.1 to 20 %, 200 to 20,000 checks of a class, 40 to 4,000 installs, correlation within a device up to 0.05, the mix
        of screens constant or shifting, devices the same or new. Prints how often the gate fails an unchanged release, finds
        a changed leak, and cannot tell.
        """)
    exit(0)
}
func option(_ name: String, _ standard: Int) -> Int {
    guard let place = arguments.firstIndex(of: name), arguments.indices.contains(place + 1) else {
        return standard
    }
    guard let value = Int(arguments[place + 1]) else {
        FileHandle.standardError.write(Data("gate-simulation: \(name) takes a number\n".utf8))
        exit(64)
    }
    return value
}
Simulation(pairs: option("--pairs", 10_000), seed: option("--seed", 1)).run()

/// The instructions of a test to the app: arguments such as `count=10`.
struct AppOptions {
    /// The reason why the arguments are invalid.
    struct InvalidArguments: Error, CustomStringConvertible {
        let description: String
    }

    /// Folder of the waiting reports, as an absolute path.
    let folder: String
    let endpoint: String
    let key: String
    /// A hash of the collector's public key, as `pinnedPublicKeys` takes it; empty if every key is accepted.
    let pin: String
    /// Version of the app.
    let version: String
    /// Class of the leaking objects.
    let className: String
    /// Number of sightings to record.
    let count: Int
    /// Number of different leaks. The sightings go through them repeatedly. The number of the leak is part of its class name.
    let leaks: Int
    /// The pause after each sighting in milliseconds.
    let pauseMilliseconds: Int
    /// `true` waits until each sighting is stored, and then for a line on standard input.
    let waits: Bool
    /// `true` sends all waiting reports after each sighting, even after earlier failures.
    let sendsImmediately: Bool
    /// `true` calls `exit` as soon as all sightings are recorded.
    let exits: Bool
    /// `true` ends collecting as soon as all sightings are recorded, and calls `_exit` immediately.
    let refuses: Bool
    /// Seconds spent on sending the waiting reports at the end.
    let flushSeconds: Double

    init(_ arguments: some Sequence<String>) throws {
        var values = [
            "version": "1", "class": "Shop.Cart", "count": "0", "leaks": "1", "pause": "0", "waits": "no",
            "sendsImmediately": "no", "flush": "0", "exits": "no", "refuses": "no", "pin": "",
        ]
        for argument in arguments {
            guard let sign = argument.firstIndex(of: "=") else {
                throw InvalidArguments(description: "\(argument) is not NAME=VALUE")
            }
            values[String(argument[..<sign])] = String(argument[argument.index(after: sign)...])
        }
        func text(_ name: String) throws -> String {
            guard let value = values.removeValue(forKey: name) else {
                throw InvalidArguments(description: "\(name)= is missing")
            }
            return value
        }
        func number<Number: LosslessStringConvertible>(_ name: String) throws -> Number {
            let value = try text(name)
            guard let number = Number(value) else {
                throw InvalidArguments(description: "\(name)=\(value) is not a number")
            }
            return number
        }
        folder = try text("folder")
        endpoint = try text("endpoint")
        key = try text("key")
        pin = try text("pin")
        version = try text("version")
        className = try text("class")
        count = try number("count")
        leaks = try number("leaks")
        pauseMilliseconds = try number("pause")
        waits = try text("waits") == "yes"
        sendsImmediately = try text("sendsImmediately") == "yes"
        exits = try text("exits") == "yes"
        refuses = try text("refuses") == "yes"
        flushSeconds = try number("flush")
        guard values.isEmpty else { throw InvalidArguments(description: "unknown: \(values.keys.sorted())") }
    }
}

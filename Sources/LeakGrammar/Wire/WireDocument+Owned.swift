package import LeakMessage

// Copies the parts of a document that must outlive it.

extension WireDocument {
    /// Returns a copy of the report at `index` of ``reports`` that does not refer to the body.
    ///
    /// Values of `keys` and `userInfo` other than strings, numbers and booleans are left out.
    package func report(at index: Int) -> LeakReport { report(reports[index]) }

    /// Returns a copy of a report that does not refer to the body.
    package func report(_ slices: ReportSlices) -> LeakReport {
        var report = LeakReport()
        report.event = slices.event
        report.id = string(slices.id)
        report.at = slices.at
        report.kind = slices.kind
        report.className = string(slices.className)
        report.stack = strings(slices.stack)
        report.children = strings(slices.children)
        report.cycle = strings(slices.cycle)
        report.reason = string(slices.reason)
        report.waitedMilliseconds = slices.waitedMilliseconds
        report.alive = slices.alive
        report.livedMilliseconds = slices.livedMilliseconds
        report.count = slices.count
        report.message = string(slices.message)
        report.error = error(slices.error)
        report.keys = keys(slices.keys)
        report.log = strings(slices.log)
        report.fingerprint = strings(slices.fingerprint)
        report.explanation = explanation(slices.why)
        let app = self.app(slices.origin)
        if app != AppInfo() { report.app = app }
        let device = self.device(slices.origin)
        if device != DeviceInfo() { report.device = device }
        report.install = string(slices.origin.install)
        report.user = string(slices.origin.user)
        return report
    }

    /// Returns the references that keep the object, from the `why` field of a report.
    package func explanation(_ object: JSONSlice) -> RetainExplanation? {
        guard object.isPresent else { return nil }
        return try? JSONScanner.scan(body, in: object.range) { (scanner) throws(JSONError) in
            var reader = FieldReader(scanner)
            return try reader.readExplanation()
        }
    }

    package func app(_ origin: OriginSlices) -> AppInfo {
        AppInfo(
            id: string(origin.appID), module: string(origin.module), environment: string(origin.environment),
            version: string(origin.version), build: string(origin.build))
    }

    package func device(_ origin: OriginSlices) -> DeviceInfo {
        DeviceInfo(os: string(origin.os), osVersion: string(origin.osVersion), model: string(origin.model))
    }

    /// Returns the custom keys in their order; if a name occurs twice, both are returned.
    package func keys(_ object: JSONSlice) -> [CustomKey] {
        guard object.isPresent else { return [] }
        var keys: [CustomKey] = []
        try? JSONScanner.scan(body, in: object.range) { (scanner) throws(JSONError) in
            keys = try scanner.customKeys()
        }
        return keys
    }

    package func error(_ object: JSONSlice) -> ReportedError? {
        guard object.isPresent else { return nil }
        var error = ReportedError(domain: "", code: 0)
        try? JSONScanner.scan(body, in: object.range) { (scanner) throws(JSONError) in
            guard try scanner.enterObject() else { return }
            repeat {
                let name = scanner.text(of: try scanner.name())
                switch (name, try scanner.kind()) {
                case ("domain", .string): error.domain = scanner.text(of: try scanner.string())
                case ("code", .number):
                    error.code = scanner.integer(of: try scanner.number()) ?? 0
                case ("userInfo", .object): error.userInfo = try scanner.customKeys()
                default: try scanner.skip()
                }
            } while try scanner.hasAnotherElement(in: .object)
        }
        return error
    }
}

extension JSONScanner {
    /// Reads an object of strings, numbers and booleans; leaves out other values.
    fileprivate mutating func customKeys() throws(JSONError) -> [CustomKey] {
        var keys: [CustomKey] = []
        guard try enterObject() else { return [] }
        repeat {
            let name = text(of: try name())
            switch try kind() {
            case .string: keys.append(CustomKey(name, .string(text(of: try string()))))
            case .number:
                let number = try number()
                // A number that is too large for a Double cannot be written as JSON again.
                if let value = Double(text(of: number.slice)), value.isFinite {
                    keys.append(CustomKey(name, .number(value)))
                }
            case .boolean: keys.append(CustomKey(name, .boolean(try boolean())))
            case .null, .array, .object: try skip()
            }
        } while try hasAnotherElement(in: .object)
        return keys
    }
}

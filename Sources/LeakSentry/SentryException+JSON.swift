internal import LeakGrammar
internal import LeakMessage

extension SentryException {
    /// Reads one field.
    ///
    /// - Returns: `true` for a field of an exception, `false` for any other field, which is skipped.
    mutating func readField(_ name: String, _ scanner: inout JSONScanner) throws(JSONError) -> Bool {
        switch name {
        case "type": type = try scanner.readOptionalString()
        case "value": value = try scanner.scalarText()
        case "mechanism": try mechanism.read(&scanner)
        case "stacktrace": try scanner.stackTrace(&frames)
        default:
            try scanner.skip()
            return false
        }
        return true
    }
}

extension SentryMechanism {
    mutating func read(_ scanner: inout JSONScanner) throws(JSONError) {
        try scanner.readFields { (scanner, name) throws(JSONError) in
            switch name {
            case "type": type = try scanner.readOptionalString()
            case "handled": isHandled = try scanner.readOptionalBoolean()
            case "data": localizedDescription = try scanner.localizedDescription()
            case "meta":
                try scanner.readFields { (scanner, name) throws(JSONError) in
                    if name == "ns_error" { error = try scanner.error() } else { try scanner.skip() }
                }
            default: try scanner.skip()
            }
        }
    }
}

extension EventContexts {
    mutating func read(_ scanner: inout JSONScanner) throws(JSONError) {
        try scanner.readFields { (scanner, name) throws(JSONError) in
            switch name {
            case "os":
                try scanner.readFields { (scanner, name) throws(JSONError) in
                    switch name {
                    case "name": os = try scanner.scalarText()
                    case "version": osVersion = try scanner.scalarText()
                    default: try scanner.skip()
                    }
                }
            case "device":
                try scanner.readFields { (scanner, name) throws(JSONError) in
                    if name == "model" { model = try scanner.scalarText() } else { try scanner.skip() }
                }
            case "app":
                try scanner.readFields { (scanner, name) throws(JSONError) in
                    switch name {
                    case "app_identifier": app.id = try scanner.scalarText()
                    case "app_version": app.version = try scanner.scalarText()
                    case "app_build": app.build = try scanner.scalarText()
                    default: try scanner.skip()
                    }
                }
            case "leak":
                try scanner.readFields { (scanner, name) throws(JSONError) in
                    guard name == "app" else { return try leak.readField(name, &scanner) }
                    try scanner.readFields { (scanner, name) throws(JSONError) in
                        if name == "module" {
                            app.module = try scanner.readOptionalString()
                        } else {
                            try scanner.skip()
                        }
                    }
                }
            case "user info": errorDescription = try scanner.localizedDescription()
            default: try scanner.skip()
            }
        }
    }
}

extension LeakReport {
    /// Reads a field that an app added for this collector, in the form of the wire format. A value of another type is ignored.
    fileprivate mutating func readField(_ name: String, _ scanner: inout JSONScanner) throws(JSONError) {
        switch name {
        case "class": className = try scanner.readOptionalString()
        case "type": event = try scanner.readOptionalString().flatMap(Event.init)
        case "kind": kind = try scanner.readOptionalString().flatMap(LeakKind.init)?.kind
        case "id": id = try scanner.readOptionalString()
        case "stack": stack = try scanner.lastStrings(WireLimits.stackCount)
        case "children": children = try scanner.firstStrings(WireLimits.childrenCount)
        case "cycle": cycle = try scanner.firstStrings(WireLimits.cycleCount)
        case "reason": reason = try scanner.readOptionalString()
        case "count": count = try scanner.readOptionalInteger() ?? 1
        case "alive": alive = try scanner.readOptionalAmount()
        case "waited_ms": waitedMilliseconds = try scanner.readOptionalAmount()
        case "lived_ms": livedMilliseconds = try scanner.readOptionalAmount()
        default: try scanner.skip()
        }
    }
}

extension JSONScanner {
    /// Reads the next value if it is a number. Returns `nil` for any other value, for a negative number and for a number that
    /// is not whole.
    fileprivate mutating func readOptionalAmount() throws(JSONError) -> Int? {
        try readOptionalInteger().flatMap { $0 >= 0 ? $0 : nil }
    }

    fileprivate mutating func localizedDescription() throws(JSONError) -> String? {
        var description: String?
        try readFields { (scanner, name) throws(JSONError) in
            if name == ReportedError.descriptionKey {
                description = try scanner.readOptionalString()
            } else {
                try scanner.skip()
            }
        }
        return description
    }

    fileprivate mutating func error() throws(JSONError) -> (domain: String, code: Int)? {
        var domain: String?
        var code: Int?
        try readFields { (scanner, name) throws(JSONError) in
            switch name {
            case "domain": domain = try scanner.readOptionalString()
            case "code": code = try scanner.readOptionalInteger()
            default: try scanner.skip()
            }
        }
        guard let domain, !domain.isEmpty, let code else { return nil }
        return (domain, code)
    }

    mutating func stackTrace(_ frames: inout FrameList) throws(JSONError) {
        try readFields { (scanner, name) throws(JSONError) in
            guard name == "frames" else {
                try scanner.skip()
                return
            }
            try scanner.readElements { (scanner) throws(JSONError) in frames.add(try scanner.frame()) }
        }
    }

    fileprivate mutating func frame() throws(JSONError) -> SentryFrame {
        var frame = SentryFrame()
        try readFields { (scanner, name) throws(JSONError) in
            switch name {
            case "function": frame.function = try scanner.readOptionalString()
            case "module": frame.module = try scanner.readOptionalString()
            case "package": frame.package = try scanner.readOptionalString()
            case "in_app": frame.isInApp = try scanner.readOptionalBoolean() ?? false
            case "instruction_addr": frame.address = try scanner.address()
            case "image_addr": frame.imageAddress = try scanner.address()
            default: try scanner.skip()
            }
        }
        return frame
    }

    /// Reads an address: `0x104f1c000`, or a number.
    mutating func address() throws(JSONError) -> UInt64? {
        guard let text = try scalarText() else { return nil }
        return text.hasPrefix("0x") || text.hasPrefix("0X")
            ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
    }
}

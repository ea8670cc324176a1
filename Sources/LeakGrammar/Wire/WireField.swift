internal import LeakMessage

/// The names of fields that the reader of the wire format knows. It ignores all others.
enum WireField: String, CaseIterable {
    // A report.
    case type, id, at, kind, stack, children, cycle, reason, alive, count, message, error, keys, log,
        fingerprint, why
    case className = "class"
    case waited = "waited_ms"
    case lived = "lived_ms"
    // A report or a batch.
    case app, device, install, user
    // A batch.
    case sessions, checks, dropped, explanations, reports
    case sentAt = "sent_at"

    /// Fields that only a report has and that say which leak it is.
    var namesLeak: Bool {
        switch self {
        case .className, .stack, .cycle, .message, .error, .fingerprint: true
        default: false
        }
    }

    /// Fields that only a batch has.
    var belongsToBatch: Bool {
        switch self {
        case .sessions, .checks, .dropped, .explanations, .reports, .sentAt: true
        default: false
        }
    }

    /// Recognizes a name by its length and bytes, without making a `String`.
    init?(_ name: UnsafeBufferPointer<UInt8>) {
        func found(_ field: WireField, _ text: StaticString) -> WireField? {
            for index in 0..<text.utf8CodeUnitCount where unsafe name[index] != text.utf8Start[index] {
                return nil
            }
            return field
        }
        let field: WireField? =
            switch name.count {
            case 2: found(.id, "id") ?? found(.at, "at")
            case 3: found(.app, "app") ?? found(.log, "log") ?? found(.why, "why")
            case 4:
                found(.type, "type") ?? found(.kind, "kind") ?? found(.keys, "keys") ?? found(.user, "user")
            case 5:
                found(.className, "class") ?? found(.stack, "stack") ?? found(.count, "count")
                    ?? found(.alive, "alive") ?? found(.cycle, "cycle") ?? found(.error, "error")
            case 6: found(.reason, "reason") ?? found(.device, "device") ?? found(.checks, "checks")
            case 7:
                found(.message, "message") ?? found(.install, "install") ?? found(.reports, "reports")
                    ?? found(.dropped, "dropped") ?? found(.sentAt, "sent_at")
            case 8: found(.lived, "lived_ms") ?? found(.children, "children") ?? found(.sessions, "sessions")
            case 9: found(.waited, "waited_ms")
            case 11: found(.fingerprint, "fingerprint")
            case 12: found(.explanations, "explanations")
            default: nil
            }
        guard let field else { return nil }
        self = field
    }
}

extension JSONScanner {
    /// Returns the field with this name; `nil` for a name that is ignored.
    func field(_ name: JSONSlice) -> WireField? {
        guard name.isEscaped else { return unsafe withBytes(of: name) { unsafe WireField($0) } }
        return WireField(rawValue: text(of: name))
    }
}

/// Of the same name as a class of another file.
private final class Row {}

/// Where objects of the private class are expected.
enum OtherRow {
    static let file: StaticString = #fileID
    static func make() -> AnyObject { Row() }
}

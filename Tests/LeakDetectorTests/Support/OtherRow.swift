/// A class with the same name as one in another file.
private final class Row {}

/// Where objects of the private class are expected.
enum OtherRow {
    static let file: StaticString = #fileID
    static func make() -> AnyObject { Row() }
}

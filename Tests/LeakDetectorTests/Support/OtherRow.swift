/// A class with the same name as a class in another file.
private final class Row {}

/// The file in which objects of the private class are expected.
enum OtherRow {
    static let file: StaticString = #fileID
    static func make() -> AnyObject { Row() }
}

/// Returns an object of a class that is declared in this function. A function in another file declares a class with this name.
func makeOtherCell() -> AnyObject {
    final class Cell {}
    return Cell()
}

/// A place in a test's source, in the parts that the test frameworks ask for.
struct SourcePlace: Sendable {
    let fileID: StaticString
    let filePath: StaticString
    let line: UInt
    let column: UInt
}

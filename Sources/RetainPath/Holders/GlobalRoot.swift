/// A word of a global or static variable that refers to an object.
struct GlobalRoot {
    /// The name of the image.
    var image: String
    /// Bytes from the image's load bias or header: symbols tell the variable's name.
    var offset: UInt64

    var field: String { "0x" + String(offset, radix: 16) }
}

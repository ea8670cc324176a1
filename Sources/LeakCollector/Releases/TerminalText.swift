/// Cleaning of text from outside for one line of a terminal: characters that would control a terminal or change the
/// direction of text become U+FFFD.
package enum TerminalText {
    package static func text(_ text: String) -> String {
        var visible = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0..<0x20, 0x7F..<0xA0, 0x61C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069:
                visible.append("\u{FFFD}")
            default: visible.append(scalar)
            }
        }
        return String(visible)
    }
}

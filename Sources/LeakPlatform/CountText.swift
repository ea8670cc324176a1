/// Returns a number with its noun: `1 leak`, `2 leaks`.
///
/// - Parameter plural: the plural of the noun; `nil` adds an `s`.
public func countText(_ number: Int, of noun: String, plural: String? = nil) -> String {
    "\(number) \(number == 1 ? noun : plural ?? noun + "s")"
}

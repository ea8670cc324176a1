public enum Gzip {
    public static let name = "Gzip"
}

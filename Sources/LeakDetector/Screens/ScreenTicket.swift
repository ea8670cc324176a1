/// Lives exactly as long as the screen that holds it.
@MainActor
final class ScreenTicket {}

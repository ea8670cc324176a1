/// The properties of a view controller, or of its substitute in tests, that the rules need.
@MainActor
protocol ScreenNode: AnyObject {
    var screenParent: (any ScreenNode)? { get }
    /// The screen that this screen presents itself, not through its container.
    var screenPresented: (any ScreenNode)? { get }
    /// The screen that presents this screen, or the container of this screen.
    var screenPresenter: (any ScreenNode)? { get }
    /// Screens that a container retains because UIKit's API says so: children, stack, tabs, pages, columns.
    var screenContained: [any ScreenNode] { get }
    /// `true` if the screen shows only its list, and keeps the last detail without giving access to it, as split view
    /// controllers without a style do.
    var screenHidesDetail: Bool { get }
    /// `true` if the creator of the screen retains it because UIKit's API says so, as a navigation item retains its search controller.
    var screenIsKeptByOwner: Bool { get }
    /// `true` if the screen keeps its children as a stack, as navigation controllers do.
    var screenIsStack: Bool { get }
    /// The class of the window that shows the screen; `nil` while its view is not loaded, or in no window.
    var screenWindowClass: AnyClass? { get }
    /// `true` while the screen is being removed from its parent.
    var screenIsMovingFromParent: Bool { get }
    var screenIsBeingDismissed: Bool { get }
    /// The view of the screen, once loaded; reading this property must not load it.
    var screenView: (any ViewNode)? { get }
    /// A strong reference that the screen holds until it is deallocated.
    var screenLifetimeToken: ScreenLifetimeToken? { get set }
}

/// The properties of a view that the rules need.
@MainActor
protocol ViewNode: AnyObject {
    var viewParent: (any ViewNode)? { get }
    var viewChildren: [any ViewNode] { get }
    /// The class of the window that the view is in.
    var viewWindowClass: AnyClass? { get }
    /// The controller whose view this is.
    var viewController: (any ScreenNode)? { get }
    /// `true` if the view is a container that UIKit leaves behind after a transition.
    var viewIsTransitionLeftover: Bool { get }
    /// `true` if the subviews belong to other objects because UIKit's API says so, as the content of a navigation bar belongs to
    /// controllers.
    var viewBorrowsChildren: Bool { get }
}

/// An event of a screen that UIKit reports.
enum ScreenEvent: Hashable {
    case didLoad, didAppear, didDisappear, didRemoveFromParent
}

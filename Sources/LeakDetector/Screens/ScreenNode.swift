/// All that the rules need to know of one view controller, or of what stands for one in tests.
@MainActor
protocol ScreenNode: AnyObject {
    var screenParent: (any ScreenNode)? { get }
    /// Who is presented by this very screen.
    var screenPresented: (any ScreenNode)? { get }
    /// Who presents it, or the container that it is in.
    var screenPresenter: (any ScreenNode)? { get }
    /// What a container keeps by contract: children, stack, tabs, pages, columns.
    var screenContained: [any ScreenNode] { get }
    /// Whether it shows no more than its list and parks the last detail where nobody can ask for it, as split view
    /// controllers do that were made without a style.
    var screenHidesDetail: Bool { get }
    /// Whether whoever made it keeps it by contract, as a navigation item keeps its search controller.
    var screenIsKeptByOwner: Bool { get }
    /// Whether it keeps its children as a stack, as navigation controllers do.
    var screenIsStack: Bool { get }
    /// The class of the window that shows it; `nil` while its view is not loaded, or in no window.
    var screenWindowClass: AnyClass? { get }
    /// Whether it is just being taken out of its parent.
    var screenIsMovingFromParent: Bool { get }
    var screenIsBeingDismissed: Bool { get }
    /// Its view, once loaded; asking must not load it.
    var screenView: (any ViewNode)? { get }
    /// A strong slot on the object.
    var screenTicket: ScreenTicket? { get set }
}

/// All that the rules need to know of one view.
@MainActor
protocol ViewNode: AnyObject {
    var viewParent: (any ViewNode)? { get }
    var viewChildren: [any ViewNode] { get }
    /// The class of the window that it is in.
    var viewWindowClass: AnyClass? { get }
    /// The controller whose view this is.
    var viewController: (any ScreenNode)? { get }
    /// Whether it is a container that UIKit leaves behind after a transition.
    var viewIsTransitionLeftover: Bool { get }
    /// Whether what is in it belongs to others by contract, as what a navigation bar shows belongs to controllers.
    var viewBorrowsChildren: Bool { get }
}

/// What UIKit tells of a screen.
enum ScreenEvent: Hashable {
    case didLoad, didAppear, didDisappear, didRemoveFromParent
}

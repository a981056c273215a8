#' Localized support vector machine on a Voronoi partition
#'
#' Splits the input space into cells and fits a least-squares support vector machine in each, with
#' the kernel width and the penalty of the cell chosen by cross-validation over a grid. One cell is
#' the ordinary, global machine. For classification with more than two classes all one-versus-rest
#' problems are solved together.
#'
#' In a cell with rows \eqn{I} the machine minimises \eqn{\lambda |f|^2 + |I|^{-1} \sum_{i \in I}
#' w_i (y_i - f(x_i))^2}, which is the problem of Eberts and Steinwart (their equation (3), with
#' \eqn{\lambda} averaged over the cell). Labels are \eqn{-1} and \eqn{+1}; numeric responses are
#' scaled to \eqn{[-1, 1]} inside by their training range and returned in their own unit. By
#' default the grid has ten values of each parameter, geometric, the paper's: \eqn{\lambda} from
#' 0.1 to \eqn{0.001 / |I|} and the width \eqn{\gamma^{-1/2}} from 10 to \eqn{0.5 |I|^{-1/d}},
#' with \eqn{d} the number of columns that vary. One value of `gamma` and one of `lambda` or
#' `cost` mean no search, and then no cross-validation unless `folds` is given.
#'
#' The cells follow Algorithm 1 of the paper: starting from a random row, the row farthest from all
#' centers becomes a center until every row lies within `radius` of one. With
#' `partition = "auto"` and many rows, cells of more than `max.cell` rows are split again with
#' a smaller radius and cells too small to cross-validate join their nearest neighbour.
#' `partition = "random"` cuts the rows into random chunks and averages their models.
#'
#' @section Large cells:
#' The grid of a cell with more than `search.rows` rows is searched on a random sample of so many of
#' its rows, stratified by class, with every penalty multiplied by rows of the cell / rows of the
#' sample, so that \eqn{\lambda n} (and with it `cost`) stays the same. From the best pair the
#' search goes on with fold models on all rows: as long as the next narrower kernel (with the same
#' or the next larger penalty) or the next penalty on either side has a smaller cross-validated
#' error, it moves there. The final models learn from all rows. Such a cell holds half of its
#' symmetric Gram matrix (2 bytes per pair of rows: 4 GB for 45000 rows) or, where `memory` is
#' smaller, down to a quarter of that; it computes the rest again in every step, which takes up to
#' eight times longer. Under another loss than least squares it holds the whole matrix (4 bytes per
#' pair). `search.rows = 1e9` searches on all rows.
#'
#' @section Losses:
#' With another loss \eqn{L} the machine minimises \eqn{\lambda |f|^2 + |I|^{-1} \sum w_i L(y_i,
#' f(x_i))}. \eqn{L} is \eqn{\max(0, 1 - y f)} for `"hinge"`; \eqn{\tau r} for \eqn{r = y - f > 0}
#' and \eqn{(\tau - 1) r} else for `"pinball"`; \eqn{r^2} times \eqn{\tau} or \eqn{1 - \tau} for
#' `"expectile"`; \eqn{\max(0, |r| - \epsilon)} for `"epsilon"`. Their duals are solved until the
#' gap to the primal value is at most `tol` times that value; `gap` of the model tells it. Quantiles
#' and expectiles of several levels are put in rising order, row by row, so that they never cross.
#' Machines that learn from a part of the rows stay on the near side of an outer quantile. So under
#' `"pinball"` and `"expectile"` a constant is added to
#' each decision function of a cell: the one of least loss on the held-out rows, which is the
#' quantile or expectile of their residuals (expectiles: from clipped predictions). Without
#' cross-validation there is none. The grid is searched by the same loss, but for the hinge by the
#' share of wrong labels of held-out rows, in their weights; a hundredth of the hinge loss is added
#' to it, so that it decides between nearly equal shares.
#'
#' With `loss = "auto"` a linear or polynomial kernel separates classes by the hinge loss and one
#' machine per pair of classes: squares would count the rows far from the border as much as those
#' beside it, and such a kernel cannot bend to please both. Everything else is least squares, with
#' one machine per class.
#'
#' A matrix of `class.weights` with one row per pair of weights fits all of them in one go, for
#' classification at several costs of the two kinds of error. Its predictions have one column per
#' row of the matrix.
#'
#' @section Ties:
#' A decision value is a sum over the support vectors, and the search, which works in single
#' precision, knows it to about \eqn{\epsilon |x| (\sum_i a_i^2 |x_i|^2)^{1/2}} with the
#' coefficients \eqn{a_i}, \eqn{|x|^2 = k(x, x)} and \eqn{\epsilon = 2^{-23}}. A smaller one says
#' nothing and is exactly 0 for classes, under every loss, in the search, in `cv` and in [predict()]
#' alike; likewise a class becomes as good as the best one where the two differ by less than both
#' are known to. Ties go to the first level. Far from all rows, where a narrow kernel vanishes, this
#' is the label. So `grid` says of a pair what a fit with that pair alone says: with
#' `search = "full"` to about a hundredth (for the hinge and a row or two), in a race to about four
#' hundredths for the pairs that are settled; `cv.risk` and `cv.error` are those of `cv$decision`.
#'
#' @section Offset:
#' The papers' machines have no offset: far from all rows their value is 0, and a linear one goes
#' through the origin of the scaled columns. With `offset = "constant"` a constant \eqn{c} is added
#' to the kernel, so that the functions have one, \eqn{b = c \sum_i \alpha_i}, whose square costs
#' \eqn{\lambda b^2 / c}. It is 1, the value \eqn{k(u, u)}, for the radial kernel; for the linear
#' and polynomial ones the mean of \eqn{|u|^2} over the (weighted) rows, to the power `degree` and
#' times \eqn{\gamma^{degree}}. So \eqn{b} is as cheap as any other function of its size. \eqn{c}
#' is `constant` in the model. A linear machine with a constant takes the mean off columns that
#' `scale` leaves as they are, which changes nothing but the rounding.
#'
#' @section Input:
#' `x` is a numeric matrix, a sparse matrix of the package \pkg{Matrix} (see below) or a data frame
#' with numeric, logical, factor and character columns.
#' A factor becomes one indicator per level times \eqn{1/\sqrt 2}, not scaled, so that two rows
#' with different levels lie at distance 1. A factor `y` means classification, numbers mean
#' regression; character and logical become a factor with a message. Missing values are an error
#' that names the columns; `na.action = na.omit` leaves the rows out.
#'
#' A level of which no row of positive weight is left is unknown to the model, wherever it was
#' declared; see `novel` in [predict.vpsvm()].
#'
#' @section Formulas:
#' The functions of a formula see the columns as they are, as in [lm()]; what they make becomes
#' numbers and, with one indicator for every level, factors. `TRUE` and `FALSE` are a number by
#' themselves and two levels in an interaction. `subset` takes rows of what the terms make of all.
#' What `poly()`, `ns()`, `bs()` and `scale()` learn from the training rows holds for new rows;
#' another term that depends on more rows than its own, as `I(a - mean(a))`, gives a warning.
#' Variables that `data` lacks are looked up where the formula was written. Those with a value for
#' each row must be columns of new rows; other objects, as the knots of a spline, are kept with the
#' model. Functions must be global or of an attached package, so that [predict()] finds them.
#'
#' A model keeps no data: [update()], [formula()] and [model.frame()] look its variables up where
#' they are called from.
#'
#' @section Sparse matrices:
#' A `dgCMatrix` is used as it is and never made dense; other sparse classes are converted to it.
#' The model is the one of the same numbers in a dense matrix, up to rounding, and keeps its support
#' vectors sparse. Columns are scaled but zeros stay zeros: the radial kernel does not depend on a
#' shift, and for the other kernels the shift of `"range"` and `"standardize"` enters the inner
#' products. Dense new rows are allowed for a sparse model and the other way round.
#'
#' @section Errors:
#' All have the class `flexkern_error`; unknown arguments are errors too, and so are those that
#' change nothing in the fit that is asked for, as `degree` with a radial kernel. Where they repeat
#' a default, a message says so instead. A matrix that does not fit into `memory` is refused before
#' it is allocated. A fit that has not converged after `max.iter` steps gives one warning and
#' `converged = FALSE` for its cells.
#'
#' @param x A numeric or sparse matrix (rows are observations) or a data frame; or a formula.
#' @param formula A formula, response ~ predictors. `y ~ .` takes all other columns of `data`. See
#'   Formulas.
#' @param y The response: a factor or a numeric vector with one value per row of `x`.
#' @param partition `"auto"` (one cell for few rows, then Voronoi cells bounded by `max.cell`),
#'   `"voronoi"` (cells of `radius`, or `cells` of them, or bounded by `max.cell`), `"random"`
#'   (`cells` chunks of equal size) or `"none"`.
#' @param radius Largest radius of the cells, in the unit of the scaled columns; the radius that a
#'   model has and prints is the one that its cells reached.
#' @param cells Number of cells. Of `radius`, `cells` and `max.cell` one may be given.
#' @param max.cell Largest number of rows in a cell of the automatic partition, its margin not
#'   counted. `NULL` means one cell up to 4000 rows and cells of at most 1500 rows beyond: their
#'   margins make up for the smaller size. Equal rows are never separated: more copies of one row
#'   make a larger cell.
#' @param overlap A number from 0 to 1: the margin of a cell, in shares of its own number of rows.
#'   The final models train on the margin too, which are the rows of other cells nearest to the
#'   cell's border; the cell selects, validates and predicts on its own rows alone. The sum of
#'   squares then runs over the margin too but is still divided by \eqn{|I|}, the number of own
#'   rows (by weight), so that the penalty selected on these keeps its meaning. `NULL` means 1 for
#'   the automatic partition and 0, as in the paper, for cells of a `radius` or number. Not for one
#'   cell or random chunks.
#' @param first The number of the row that is the first center of cells of a `radius` or number;
#'   `NULL` for one at random.
#' @param loss `"least.squares"`; `"hinge"` for classification, whose machines are sparse; or for
#'   regression `"pinball"` (quantiles), `"expectile"` (asymmetric squares) or `"epsilon"` (no loss
#'   within a tube, e1071's eps-regression). `"auto"` is least squares, or the hinge for classes and
#'   a linear or polynomial kernel; see Losses.
#' @param tau Levels of `"pinball"` and `"expectile"`: rising numbers strictly between 0 and 1, by
#'   default 0.5. All are fitted in one go, with one `gamma` and `lambda` per cell: those that the
#'   search finds for the level nearest 0.5. With these each level is solved to `tol` on its own.
#' @param epsilon Half the width of the tube of `"epsilon"`, in standard deviations of `y`. For
#'   this loss alone.
#' @param multiclass With three classes or more: `"ovr"`, one machine per class against the rest, or
#'   `"ovo"`, one per pair of classes; their votes decide. `"auto"` is `"ovr"` for the radial kernel
#'   and `"ovo"` for the others. Not for regression.
#' @param kernel `"radial"`: \eqn{\exp(-\gamma |u - v|^2)}; `"polynomial"`:
#'   \eqn{(\gamma u'v + c_0)^{degree}}; `"linear"`: \eqn{u'v}. Or an object made by
#'   [hg_kernel()], whose squared distance takes the place of \eqn{|u - v|^2}.
#' @param degree,coef0 Degree and constant \eqn{c_0} of the polynomial kernel alone.
#' @param offset `"constant"`: the functions have a constant; `"none"`: they have none, as in the
#'   papers; see Offset. `"auto"` is `"constant"`.
#' @param gamma Positive numbers to search over, or one to use; `NULL` for the grid of each cell
#'   (radial) or one over the number of columns (polynomial). For the radial kernel also an object
#'   made by [gamma_dmm()], whose scaling is then adopted, or `"dmm"` or `"median"`: the width of
#'   [gamma_dmm()] or [gamma_median()] on the scaled rows. Not used by the linear kernel.
#' @param lambda Positive penalties to search over, or one to use; `NULL` for the grid.
#' @param cost The penalty in the form of \pkg{e1071}: `lambda = 1 / (2 * cost * n)`, with `n` the
#'   rows of the cell. Not together with `lambda`.
#' @param folds Number of cross-validation folds (at least 2), stratified by class; without it 5, or
#'   one per row where there are fewer.
#' @param validation `"cv"`; `"split"`: of all rows the first \eqn{\lfloor n/2 \rfloor + 1} train,
#'   the rest validates, each within its cell (the paper's TV-VP-SVM; the decision of a cell without
#'   rows that train is 0); or `"split.cells"`: the same split within each cell. The rows should
#'   come in random order then.
#' @param final `"average"` of the fold models, or `"refit"` of one model on all rows of the cell;
#'   `"auto"` refits cells with a margin and else averages. With a refit, cross-validated values
#'   come from fold models without the margin: they are a little pessimistic.
#' @param search `"race"` drops hopeless pairs of the grid early. With more than 600 rows in a cell
#'   it first searches on half of them, and so on downwards; then it starts at the best pairs of
#'   that sample's valleys and settles neighbours of what is settled, the most promising first,
#'   until none is expected to win. `grid$settled` tells which pairs were computed on all rows of
#'   the cell. `"full"` computes every pair: it also finds a valley of which half of the rows show
#'   nothing, as of a fast oscillation beside a smooth trend.
#' @param search.rows Largest number of rows that a grid is searched on; see Large cells.
#' @param refine `TRUE` for a second, finer grid around the best pair.
#' @param clip `TRUE` to clip predictions to the range of the training labels; `"auto"` is `TRUE`
#'   for the radial kernel and `FALSE` for the others, which go on beyond the rows.
#' @param scale `"range"` (each column to \eqn{[-1, 1]} by the training rows), `"standardize"` or
#'   `TRUE` (mean 0, standard deviation 1), `"none"` or `FALSE`, or one logical per column, in their
#'   order or by their names (`TRUE` to standardize it). Constant columns become 0.
#' @param weights Case weights, one number of at least 0 per row; only their ratios matter: in
#'   each machine (cell, chunk, fold, pair of classes) they are scaled to mean 1. A row of weight 0
#'   is left out of everything (cells, folds, ranges, counts) and then answered like a new
#'   row in `fitted`, `residuals` and `cell`.
#' @param class.weights Positive numbers named by class (others count 1), or `"inverse"` for one
#'   over the class counts (by case weight); with two classes also a matrix with a column per
#'   class, see Losses.
#' @param probability `TRUE` to calibrate class probabilities on the cross-validated decision
#'   values, for `predict(type = "prob")`. Never changes the predicted labels.
#' @param type `"auto"`, `"classification"` or `"regression"`; the last two win over the kind of
#'   `y`.
#' @param tol,max.iter Relative residual at which a linear system counts as solved (other losses:
#'   the duality gap as a share of the objective), and the largest number of steps of the iterative
#'   solver (other losses: per row).
#' @param threads,memory,device Threads, bytes of work memory and device; see [flexkern_config()].
#' @param verbose `TRUE` for a progress message at most once a second.
#' @param seed A whole number for the folds, chunks and first center; by default one number is
#'   drawn from R's stream, and none if the fit has no random part. The same seed and rows in the
#'   same order give the same model.
#' @param na.action [na.fail()], [na.omit()] or [na.exclude()].
#' @param data A data frame with the variables of the formula.
#' @param subset Rows to use, evaluated in `data`.
#' @param ... For the formula method, the arguments of the default method. Anything unknown is an
#'   error.
#'
#' @return A list of class `vpsvm`, free of environments and pointers, with among others
#'   \item{sv, index, coef}{support vectors (scaled; one row each, ordered by cell), which have a
#'     coefficient other than 0, the numbers of their rows among those left by `subset` and
#'     `na.action`, and their coefficients, a matrix with one column per decision function}
#'   \item{intercept}{per cell and decision function, on the scale of \eqn{[-1, 1]}: the constant
#'     that is added (see Losses), or the response where it does not vary in the cell; else 0}
#'   \item{gamma, lambda, cv.risk}{per cell: the selected parameters and their cross-validated mean
#'     loss on the scale of \eqn{[-1, 1]} (for the hinge as under Losses)}
#'   \item{own.risk}{with several levels or pairs of weights: `cv.risk`, their mean, of each}
#'   \item{grid}{per cell: the `gamma` and `lambda` values, the matrix `risk` and, `settled`,
#'     whether each was computed to convergence; with several levels or pairs of weights also
#'     `each`, their risks, one column each; in a large cell the risk is that of the sample, and
#'     `tried` lists the pairs whose risk was then computed on all rows}
#'   \item{search.rows}{per cell: the number of rows that the grid was searched on}
#'   \item{cv.error}{cross-validated misclassification rate, or for regression the mean loss in the
#'     unit of `y`; with several levels or pairs of weights, their mean}
#'   \item{cell, cell.size, overlap}{the cell of each row (`NA` for weight 0 and random chunks), the
#'     rows of positive weight per cell, the share of its rows that each cell has as margin}
#'   \item{fitted, residuals}{on the training rows; for classification the residual is 1 where the
#'     fitted label is wrong}
#'   \item{cv}{where there was cross-validation, a list with one entry per row: `decision`, what
#'     `predict(type = "decision")` gives from a model that did not see the row (`NA` where there is
#'     none; for classes not clipped), with the constant of its cell, the response `y`, the number
#'     `fold` of that model (0: none saw less than all, the model being constant) and the case
#'     `weights`, if any}
#'   \item{fold.coef}{the coefficients of the fold models of which `coef` is the mean, for
#'     regression and two classes}
#'   \item{converged, iterations, seconds, bytes, threads, seed}{how the fit went}
#'
#' @references Eberts, M. and Steinwart, I. Optimal learning rates for localized SVMs,
#'   arXiv:1507.06615, equations (3) and (4), Algorithm 1 and section 6.
#'
#' Steinwart, I., Hush, D. and Scovel, C. (2011) Training SVMs without offset. JMLR 12, 141-202.
#' @seealso [predict.vpsvm()], [plot.vpsvm()], [vp_artificial()]
#' @examples
#' fit <- vpsvm(Species ~ ., data = iris, seed = 1)
#' fit
#' table(predict(fit, iris), iris$Species)
#'
#' # Quantiles
#' a <- vp_artificial("I", 300, seed = 1)
#' q <- vpsvm(y ~ x, data = a, loss = "pinball", tau = c(0.1, 0.5, 0.9), seed = 1)
#' colMeans(a$y <= predict(q, a))
#'
#' # Regression with fixed parameters: no search, no random part
#' d <- vp_artificial("I", 200, seed = 1)
#' plot(vpsvm(y ~ x, data = d, gamma = 30, lambda = 1e-4), type = "fit")
#' @export
vpsvm <- function(x, ...) UseMethod("vpsvm")

#' @rdname vpsvm
#' @export
vpsvm.formula <- function(formula, data = NULL, ..., subset, weights,
                          na.action = stats::na.fail) {
  fit_formula("vpsvm", vpsvm.default, match.call(), environment(), list(...))
}

#' @rdname vpsvm
#' @export
vpsvm.default <- function(x, y, partition = c("auto", "voronoi", "random", "none"),
                          radius = NULL, cells = NULL, max.cell = NULL, overlap = NULL,
                          first = NULL,
                          loss = c("auto", "least.squares", "hinge", "pinball", "expectile",
                                   "epsilon"),
                          tau = NULL, epsilon = 0.1, multiclass = c("auto", "ovr", "ovo"),
                          kernel = c("radial", "polynomial", "linear"),
                          degree = 3, coef0 = 0, offset = c("auto", "none", "constant"),
                          gamma = NULL, lambda = NULL, cost = NULL,
                          folds = 5, validation = c("cv", "split", "split.cells"),
                          final = c("auto", "average", "refit"),
                          search = c("race", "full"), search.rows = 8000, refine = FALSE,
                          clip = "auto", scale = "range", weights = NULL, class.weights = NULL,
                          probability = FALSE, type = c("auto", "classification", "regression"),
                          tol = 1e-6, max.iter = 1000, threads = NULL, memory = NULL,
                          device = c("auto", "cpu", "cuda"),
                          verbose = getOption("flexkern.verbose", interactive()), seed = NULL,
                          na.action = stats::na.fail, ...) {
  call <- match.call()
  check_fit_call("vpsvm", vpsvm.default, missing(x), list(...))
  settings <- vpsvm_settings(
    c(with_given(mget(setting_names(), environment()), call), folds_given = !missing(folds)),
    folds_asked = !missing(folds) || (!missing(final) && identical(final, "average"))
  )
  settings$scale_asked <- !missing(scale)
  input <- fit_input(x, y, weights, na.action, missing(weights) && missing(na.action),
                     memory = settings$memory)
  with_call(vpsvm_fit(input, settings), "vpsvm", call)
}

setting_names <- function() {
  setdiff(names(formals(vpsvm.default)), c("x", "y", "weights", "na.action", "..."))
}

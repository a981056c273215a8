#' Hierarchical Gaussian kernels
#'
#' Describes a kernel that is composed of Gaussian kernels on groups of columns, in any number of
#' layers (Steinwart, Thomann and Schmid). [hgsvm()] learns its weights.
#'
#' A node of the first layer has a set of columns \eqn{I} with weights \eqn{v_j} and the squared
#' distance \deqn{D(x, x') = \sum_{j \in I} v_j^2 (x_j - x'_j)^2.}{D(x, x') = sum_j v_j^2 (x_j -
#' x'_j)^2.} A node above has other nodes as children, with weights \eqn{w_i} and
#' \deqn{D(x, x') = 2 \sum_i w_i^2 (1 - \exp(-D_i(x, x'))).}{D(x, x') = 2 sum_i w_i^2 (1 -
#' exp(-D_i(x, x'))).} The kernel is \eqn{\exp(-\gamma D)} with the \eqn{D} of the top node, the
#' squared distance in the feature space below it; \eqn{\gamma} is \eqn{1 / \textrm{width}^2}{1 /
#' width^2} in the paper's formulas. Weights enter squared, so that their sign does not matter. The
#' factor 2 belongs to the squared distance of kernels with \eqn{k(x, x) = 1}.
#'
#' `hg_inhomogeneous()` is a single node with a weight for each column. `hg_random()` shares out
#' `floor(saturation * p)` places among the nodes, as evenly as can be, and fills them with random
#' permutations of the columns one after another: with saturation 1 the columns are parted, with 2
#' each is in two nodes. `hg_groups()` makes a node for each group of columns.
#'
#' @param nodes Columns (numbers or names) for a node of the first layer, or a list of nodes:
#'   columns, lists of nodes, or objects made by `hg_kernel()`. In `hg_random()`, how many.
#' @param weights One number for each column or node of the top node: by default 1 for columns and
#'   \eqn{\sqrt{1 / l}}{sqrt(1 / l)} for \eqn{l} nodes.
#' @param p Number of columns.
#' @param saturation In how many nodes a column is on average; at most the number of nodes.
#' @param seed A whole number for the permutations; by default one number is drawn from R's stream.
#' @param groups A factor or vector with one entry per column, which says to what group it belongs;
#'   or a list with the columns of each group.
#' @param kernel An object made by these functions.
#' @param x,z Numeric matrices or data frames with numeric columns; by default `z` is `x`.
#' @param gamma One positive number.
#' @param threads,memory As in [vpsvm()].
#' @return A list of class `hg_kernel` with `columns` (or `nodes`, a list of the same), `weights`,
#'   `depth` and `size`, the number of weights of all nodes. `hg_gram()`: the matrix of kernel
#'   values, rows of `x` by rows of `z`.
#' @references Steinwart, I., Thomann, P. and Schmid, N. (2016) Learning with hierarchical Gaussian
#'   kernels. arXiv:1612.00824.
#' @seealso [hgsvm()]
#' @examples
#' k <- hg_kernel(list(1:2, 3:4))
#' k
#' round(hg_gram(k, iris[c(1, 51, 101), 1:4], gamma = 0.5), 3)
#'
#' # The columns of one part of a flower belong together
#' hg_groups(c("sepal", "sepal", "petal", "petal"))
#' # Three layers
#' hg_kernel(list(list(1, 2), list(3, 4)))
#' @export
hg_kernel <- function(nodes, weights = NULL) {
  if (missing(nodes)) abort_arg("nodes", NULL, node_want)
  node <- hg_node(nodes, "nodes")
  if (!is.null(weights)) node$weights <- node_weights(weights, node_size(node), "weights")
  node
}

node_want <- "columns (numbers or names), a list of nodes, or an hg_kernel() object"

is_leaf <- function(node) !is.null(node$columns)

node_size <- function(node) length(if (is_leaf(node)) node$columns else node$nodes)

# One node with all below it, checked; `where` says which one it is.
hg_node <- function(node, where, layer = 1L) {
  if (layer > 50L) {
    abort("`nodes` has more than 50 layers; use fewer.", arg = "nodes")
  }
  if (inherits(node, "hg_kernel")) {
    if (!is.list(node)) abort_arg(where, node, node_want)
    return(hg_node_of(node[["columns"]], node[["nodes"]], node[["weights"]], where, layer))
  }
  if (is.list(node) && !is.data.frame(node) && !is.object(node)) {
    return(hg_node_of(NULL, node, NULL, where, layer))
  }
  hg_node_of(node, NULL, NULL, where, layer)
}

hg_node_of <- function(columns, nodes, weights, where, layer) {
  if (is.null(nodes)) {
    columns <- node_columns(columns, where)
    below <- list(columns = columns)
    depth <- 1L
    inside <- 0L
  } else {
    if (!is.list(nodes) || length(nodes) == 0L) {
      abort("`", where, "` has no nodes; give at least one set of columns.", arg = "nodes")
    }
    nodes <- lapply(seq_along(nodes), function(i) {
      hg_node(nodes[[i]], paste0(where, "[[", i, "]]"), layer + 1L)
    })
    below <- list(nodes = nodes)
    depth <- 1L + max(vapply(nodes, `[[`, 0L, "depth"))
    inside <- sum(vapply(nodes, `[[`, 0L, "size"))
  }
  count <- length(below[[1L]])
  weights <- if (is.null(weights)) rep(if (depth > 1L) sqrt(1 / count) else 1, count) else
    node_weights(weights, count, where)
  structure(c(below, list(weights = weights, depth = depth, size = inside + count)),
            class = "hg_kernel")
}

node_columns <- function(columns, where) {
  numbers <- is.numeric(columns) && !is.object(columns) && !anyNA(columns) &&
    all(columns >= 1 & columns <= 1e9 & columns == round(columns))
  if (!numbers && !(is.character(columns) && !anyNA(columns)) || length(dim(columns)) > 1L) {
    abort_arg(where, columns, node_want)
  }
  if (length(columns) == 0L) {
    abort("`", where, "` is empty; a node needs at least one column.", arg = "nodes")
  }
  twice <- unique(columns[duplicated(columns)])
  if (length(twice)) {
    abort("`", where, "` has the column ", name_list(twice), " more than once; leave one of them ",
          "and change its weight.", arg = "nodes")
  }
  if (is.character(columns)) as.vector(columns) else as.integer(columns)
}

node_weights <- function(weights, count, where) {
  name <- if (where == "weights") where else paste0(where, "$weights")
  if (!is.numeric(weights) || is.object(weights) || length(weights) != count) {
    abort_arg(name, weights, paste(count, plural(count, "number"),
                                   "(one for each part of the node)"))
  }
  bad <- which(!is.finite(weights) | abs(weights) > 1e50)
  if (length(bad)) {
    abort("`", name, "` has ", format(weights[bad[1L]]), " at position ", bad[1L],
          "; weights must be finite numbers.", arg = "weights")
  }
  as.double(weights)
}

# ---- ready-made architectures --------------------------------------------------------------------

#' @rdname hg_kernel
#' @export
hg_inhomogeneous <- function(p, weights = NULL) {
  check_columns_count(p)
  hg_kernel(seq_len(p), weights)
}

#' @rdname hg_kernel
#' @export
hg_random <- function(p, nodes = 4, saturation = 1, seed = NULL) {
  check_columns_count(p)
  if (!is_whole(nodes, 1, 1e6)) abort_arg("nodes", nodes, "a whole number of at least 1")
  if (!is_number(saturation) || saturation <= 0) {
    abort_arg("saturation", saturation, "one positive number")
  }
  places <- floor(saturation * p + 1e-9)
  if (places > 1e7) {
    abort("`saturation` = ", format(saturation), " asks for ", format(places), " places for ",
          "columns, more than 1e7; use a smaller one.", arg = "saturation")
  }
  if (places < 1) {
    abort("`saturation` = ", format(saturation), " leaves no place for any of the ", p,
          plural(p, " column"), "; raise it to at least 1 / p.", arg = "saturation")
  }
  fitting <- max(1, min(nodes, places))
  if (places > fitting * p) {
    abort("`saturation` = ", format(saturation), " exceeds the number of nodes, ", fitting,
          "; a node takes a column only once.", arg = "saturation")
  }
  if (fitting < nodes) {
    warn("There are more nodes (", nodes, ") than places for columns (", places, "); ", fitting,
         plural(fitting, " node is", " nodes are"), " made.")
  }
  hg_kernel(fk_hg_share(p, fitting, places, draw_seed(seed)))
}

#' @rdname hg_kernel
#' @export
hg_groups <- function(groups) {
  if (is.list(groups) && !is.data.frame(groups)) return(hg_kernel(unname(groups)))
  if (!is.atomic(groups) || length(groups) == 0L || length(dim(groups)) > 1L) {
    abort_arg("groups", groups, "a vector with one entry per column, or a list of columns")
  }
  if (anyNA(groups)) {
    abort("`groups` has NA at position ", which(is.na(groups))[1L], "; say for every column to ",
          "what group it belongs.", arg = "groups")
  }
  columns <- split(seq_along(groups), factor(groups, unique(groups)))
  hg_kernel(if (is.null(names(groups))) unname(columns) else
    unname(lapply(columns, function(at) names(groups)[at])))
}

check_columns_count <- function(p) {
  if (!is_whole(p, 1, 1e7)) abort_arg("p", p, "a whole number from 1 to 1e7 (the columns)")
}

# ---- for the core --------------------------------------------------------------------------------

# The nodes of a kernel as the core reads them: children before parents, the top node last. `leaf`
# says which are of the first layer; `parts` has the column numbers of a leaf and else the numbers
# of the children; `weights` has one number for each part.
flat_nodes <- function(node) {
  if (is_leaf(node)) {
    return(list(leaf = TRUE, parts = list(as.integer(node$columns)),
                weights = list(as.double(node$weights))))
  }
  flat <- list(leaf = logical(), parts = list(), weights = list())
  top <- integer()
  for (child in node$nodes) {
    below <- flat_nodes(child)
    shift <- length(flat$leaf)
    inner <- !below$leaf
    below$parts[inner] <- lapply(below$parts[inner], `+`, shift)
    flat <- Map(c, flat, below)
    top <- c(top, length(flat$leaf))
  }
  Map(c, flat, list(leaf = FALSE, parts = list(top), weights = list(as.double(node$weights))))
}

# The same nodes with other weights, given as by all_weights(): in the order of flat_nodes().
with_weights <- function(node, weights) {
  if (!is_leaf(node)) {
    at <- 0L
    for (i in seq_along(node$nodes)) {
      size <- node$nodes[[i]]$size
      node$nodes[[i]] <- with_weights(node$nodes[[i]], weights[at + seq_len(size)])
      at <- at + size
    }
    weights <- weights[-seq_len(at)]
  }
  node$weights <- weights
  node
}

all_weights <- function(node) unlist(flat_nodes(node)$weights)

# Column names become numbers; columns that there are not are an error.
numbered <- function(node, names, where = "kernel") {
  if (!is_leaf(node)) {
    node$nodes <- lapply(node$nodes, numbered, names, where)
    return(node)
  }
  at <- if (is.character(node$columns)) match(node$columns, names) else node$columns
  bad <- is.na(at) | at > length(names)
  if (any(bad)) {
    abort("`", where, "` asks for the ", plural(sum(bad), "column"), " ",
          name_list(node$columns[bad]), ", but there are only ", name_list(names, 10L), ".",
          arg = where)
  }
  node$columns <- at
  node
}

#' @rdname hg_kernel
#' @export
hg_gram <- function(kernel, x, z = NULL, gamma = 1, threads = NULL, memory = NULL) {
  if (!inherits(kernel, "hg_kernel")) abort_arg("kernel", kernel, "an hg_kernel() object")
  kernel <- hg_node(kernel, "kernel")
  if (!is_positive(gamma) || length(gamma) != 1L) abort_arg("gamma", gamma, "one positive number")
  x <- gram_points(x, "x")
  z <- if (is.null(z)) x else gram_points(z, "z")
  names <- colnames(x) %||% paste0("V", seq_len(ncol(x)))
  if (ncol(z) != ncol(x)) {
    abort("`z` has ", ncol(z), plural(ncol(z), " column"), ", but `x` has ", ncol(x),
          "; they must agree.", arg = "z")
  }
  options <- list(threads = resolve_threads(threads), memory = resolve_memory(memory),
                  isa = resolve_isa())
  bytes <- 8 * nrow(x) * nrow(z)
  if (bytes > options$memory) {
    abort("The matrix of ", nrow(x), " x ", nrow(z), " needs ", format_bytes(bytes),
          ", more than the budget; raise `memory` or take fewer rows.", arg = "memory")
  }
  from_core(fk_hg_gram(x, z, flat_nodes(numbered(kernel, names)), gamma, options))
}

gram_points <- function(x, arg) {
  if (is.data.frame(x)) x <- as.matrix(x)
  if (!is.numeric(x) || length(dim(x)) != 2L) {
    abort_arg(arg, x, "a numeric matrix or a data frame of numbers")
  }
  bad <- sum(!is.finite(x))
  if (bad) {
    abort("`", arg, "` has ", bad, plural(bad, " value"), " that ", plural(bad, "is", "are"),
          " missing or infinite; leave these rows out.", arg = arg)
  }
  storage.mode(x) <- "double"
  x
}

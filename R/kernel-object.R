# hg_kernel() objects as the kernel of other fitters.

is_kernel_object <- function(x) inherits(x, "hg_kernel")

# The kernel on the columns of the design: a factor's indicators share the weight of the factor. An
# object that was changed by hand is checked again.
on_design <- function(kernel, blueprint, where) {
  node <- hg_node(kernel, where)
  design <- kernel[["design"]]
  if (!is.null(design)) {
    check_sound(kernel)
    return(on_learned_columns(node, design, blueprint$names, where))
  }
  spread(numbered(node, source_columns(blueprint), where), blueprint$source)
}

# A kernel that hgsvm() learned has columns of its design, which are found by their names. Of two
# with the same name, as the level 0 of V1 and the column V10, the first is the first.
on_learned_columns <- function(kernel, design, names, where) {
  absent <- setdiff(design, names)
  if (length(absent)) {
    abort("`", where, "` was learned with the ", plural(length(absent), "column"), " ",
          name_list(absent), ", but there are only ", name_list(names, 10L), ".", arg = where)
  }
  on_columns(kernel, match(make.unique(design), make.unique(names)))
}

# What `source` of a blueprint counts.
source_columns <- function(blueprint) {
  if (!is.null(blueprint$terms)) return(blueprint$names)
  blueprint$columns %||% paste0("V", seq_len(blueprint$p))
}

spread <- function(node, source) {
  if (!is_leaf(node)) {
    node$nodes <- lapply(node$nodes, spread, source)
    node$size <- length(node$weights) + sum(vapply(node$nodes, `[[`, 0L, "size"))
    return(node)
  }
  at <- lapply(node$columns, function(j) which(source == j))
  node$columns <- unlist(at)
  node$weights <- rep(node$weights, lengths(at))
  node$size <- length(node$weights)
  node
}

# The kernel of a fit as the core reads it; x holds the scaled rows.
design_nodes <- function(kernel, input, x) {
  if (is_sparse(input$x)) {
    abort("An hg_kernel() takes no sparse matrix; if it fits in memory, give as.matrix(x).",
          arg = "x")
  }
  kernel <- on_design(kernel, input$blueprint, "kernel")
  check_distance_bound(kernel, column_peaks(x))
  flat_nodes(kernel)
}

# gamma as part of the weights of the top node, which multiply the same distance.
with_gamma <- function(kernel, gamma) {
  kernel$weights <- kernel$weights * sqrt(gamma)
  kernel
}

# A bound of every squared distance within the kernel, from the largest values of the columns.
distance_bound <- function(node, largest) {
  if (is_leaf(node)) return(4 * sum((node$weights * largest[node$columns])^2))
  max(2 * sum(node$weights^2), vapply(node$nodes, distance_bound, 0, largest))
}

column_peaks <- function(x) apply(abs(x), 2L, max, 0)

check_distance_bound <- function(kernel, largest) {
  bound <- distance_bound(kernel, largest)
  if (is.finite(bound) && bound < 1e37) return(invisible())
  abort("The kernel's distances overflow: x has values up to ", format(max(largest), digits = 3),
        " and the kernel weights up to ", format(max(abs(all_weights(kernel))), digits = 3),
        '; use scale = "range" or smaller weights.', arg = "x")
}

# Whether the nodes of a stored model are ones that the core can follow: columns that there are, and
# children before their parents.
are_sound_nodes <- function(nodes, columns) {
  n <- length(nodes$leaf)
  if (n == 0L || !is.logical(nodes$leaf) || anyNA(nodes$leaf)) return(FALSE)
  if (!all(lengths(nodes[c("parts", "weights")]) == n)) return(FALSE)
  sound <- function(i) {
    last <- if (nodes$leaf[i]) columns else i - 1L
    weights <- nodes$weights[[i]]
    parts <- nodes$parts[[i]]
    is.integer(parts) && all(parts %in% seq_len(last)) && is.double(weights) &&
      length(parts) > 0L && length(parts) == length(weights) && all(is.finite(weights))
  }
  all(vapply(seq_len(n), sound, NA))
}

# ---- as an entry of `kernels` in kbp() and rmekl() -----------------------------------------------

check_object_entry <- function(entry, where) {
  beside <- setdiff(names(entry), c("kernel", "gamma"))
  if (length(beside)) {
    abort("`", where, "` has ", name_list(beside), " beside an hg_kernel() object, which says ",
          "itself what columns it sees; leave ", plural(length(beside), "it", "them"), " out.",
          arg = "kernels")
  }
  if (is.null(entry$gamma) || is_positive(entry$gamma)) return(invisible())
  abort_arg("gamma", entry$gamma, paste(positive$want, "or NULL"), is_positive)
}

# For every gamma the kernel on the columns of the design.
entry_objects <- function(entry, where, x, blueprint) {
  check_object_entry(entry, where)
  kernel <- on_design(entry$kernel, blueprint, where)
  lapply(entry$gamma %||% 1, function(gamma) {
    kernel <- with_gamma(kernel, gamma)
    check_distance_bound(kernel, column_peaks(x))
    kernel
  })
}

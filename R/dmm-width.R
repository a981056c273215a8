# The parts of the dual min-max width: class diameters, a distance between classes, the formula.

dmm_width <- function(x, outcome, distance, lambda, options, weights = NULL) {
  unit <- power_of_two(x)
  x <- x / unit
  code <- outcome$code
  core <- c(options[c("threads", "memory", "verbose")], isa = resolve_isa())
  diameters <- class_diameters(x, outcome, core)
  rows <- sample_rows(code, options)
  between <- if (length(rows) == nrow(x)) class_separation(x, code, distance, core, weights) else
    class_separation(x[rows, , drop = FALSE], code[rows], distance, core, weights[rows])
  largest <- max(diameters$diameter)
  warn_dmm(diameters, between, largest)
  if (largest == 0) largest <- between$d
  gamma <- balanced_gamma(1 / largest / between$d / unit / unit, lambda)
  diameters$diameter <- diameters$diameter * unit
  list(
    gamma = gamma, sigma = sqrt(0.5 / gamma), D_max = largest * unit, d = between$d * unit,
    diameters = diameters, closest = name_closest(between$closest, outcome$classes, rows, unit),
    coincident = between$coincident, sampled = length(rows)
  )
}

# G'(gamma) = 0, from its solution for lambda = 1/2.
balanced_gamma <- function(even, lambda) {
  gamma <- finite_gamma(even) * sqrt((1 - lambda) / lambda)
  if (is_positive(gamma)) return(gamma)
  abort("`lambda` = ", format(lambda, digits = 15), " makes gamma ", format(gamma, digits = 3),
        ", which is not from 1e-100 to 1e100; take a `lambda` farther from 0 and 1.",
        arg = "lambda")
}

class_diameters <- function(x, outcome, core) {
  found <- from_core(fk_class_distance(x, outcome$code, "diameter", core))$diameter
  data.frame(
    class = outcome$classes, size = tabulate(outcome$code, length(outcome$classes)),
    diameter = ifelse(is.na(found[, 1L]), 0, sqrt(found[, 1L])), row1 = found[, 2L],
    row2 = found[, 3L]
  )
}

# A stratified sample of max.n rows. With as many folds as rows each row has a place of its own, in
# random order class after class, by where classes first appear; the first ones of each are taken.
sample_rows <- function(code, options) {
  n <- length(code)
  if (is.null(options$max.n) || n <= options$max.n) return(seq_len(n))
  code <- match(code, unique(code))
  size <- tabulate(code)
  quota <- class_quota(size, floor(options$max.n))
  place <- fk_folds(code, n, draw_seed(options$seed))
  which(place - (cumsum(size) - size)[code] <= quota[code])
}

# One row of each class, and the rest in proportion; largest remainders make the sum exact.
class_quota <- function(size, total) {
  if (total < length(size)) {
    abort("`max.n` = ", total, " is less than the number of classes, ", length(size),
          "; a sample needs a row of each.", arg = "max.n")
  }
  rest <- (total - length(size)) * (size - 1) / (sum(size) - length(size))
  quota <- 1 + floor(rest)
  more <- order(floor(rest) - rest)[seq_len(total - sum(quota))]
  quota[more] <- quota[more] + 1
  quota
}

# d, the closest pairs (class and row numbers), and how many distances of 0 had no part in it.
class_separation <- function(x, code, distance, core, weights) {
  switch(distance,
    nn = nearest_separation(x, code, core, weights),
    pair_min = , min = closest_separation(x, code, distance, core),
    pair_mean = list(d = some_distance(mean(core_distances(x, code, "mean", core))),
                     coincident = 0),
    centroid = list(d = centroid_separation(x, code), coincident = 0)
  )
}

core_distances <- function(x, code, what, core, positive = FALSE) {
  from_core(fk_class_distance(x, code, what, c(core, positive = positive)))[[what]]
}

# Sums in order of size: the order of the rows does not show.
nearest_separation <- function(x, code, core, weights) {
  found <- core_distances(x, code, "nearest", core)
  zero <- found[, 1L] == 0
  used <- which(!zero)
  if (length(used) == 0L) {
    found <- core_distances(x, code, "nearest", core, positive = TRUE)
    used <- which(!is.na(found[, 1L]))
    some_distance(length(used))
  }
  used <- used[order(found[used, 1L])]
  w <- weights[used] %||% rep(1, length(used))
  first <- found[used, 1L] == found[used[1L], 1L]
  pair <- found[min(used[first]), , drop = FALSE]
  list(d = sum(w * sqrt(found[used, 1L])) / sum(w), closest = pair_frame(pair, code),
       coincident = sum(zero))
}

closest_separation <- function(x, code, distance, core) {
  found <- core_distances(x, code, "closest", core)
  zero <- sum(found[, 1L] == 0)
  if (zero > 0L) found <- core_distances(x, code, "closest", core, positive = TRUE)
  found <- found[!is.na(found[, 1L]), , drop = FALSE]
  some_distance(nrow(found))
  if (distance == "min") found <- found[which.min(found[, 1L]), , drop = FALSE]
  list(d = mean(sqrt(found[, 1L])), closest = pair_frame(found, code), coincident = zero)
}

# Coordinates are below 2: what is left of equal means is rounding.
centroid_separation <- function(x, code) {
  centers <- rowsum(x, code) / tabulate(code)
  d <- mean(stats::dist(centers))
  if (d > nrow(x) * .Machine$double.eps) return(d)
  abort("The means of all classes coincide; use another `distance`.", arg = "distance")
}

some_distance <- function(d) {
  if (d > 0) return(d)
  abort("All rows of different classes coincide, so that no kernel width separates them.",
        arg = "x")
}

pair_frame <- function(found, code) {
  data.frame(class1 = code[found[, 2L]], class2 = code[found[, 3L]], distance = sqrt(found[, 1L]),
             row1 = found[, 2L], row2 = found[, 3L])
}

name_closest <- function(pairs, classes, rows, unit) {
  if (is.null(pairs)) return(NULL)
  pairs$class1 <- classes[pairs$class1]
  pairs$class2 <- classes[pairs$class2]
  pairs$distance <- pairs$distance * unit
  pairs$row1 <- rows[pairs$row1]
  pairs$row2 <- rows[pairs$row2]
  pairs
}

warn_dmm <- function(diameters, between, largest) {
  single <- diameters$class[diameters$size == 1L]
  found <- c(
    if (between$coincident) {
      paste0(between$coincident, plural(between$coincident, " distance"),
             " of 0 between classes (coincident rows) left out")
    },
    if (length(single)) {
      paste0(plural(length(single), "class ", "classes "), name_list(as.character(single)),
             plural(length(single), " has", " have"),
             " a single row and diameter 0")
    },
    if (largest == 0) "all class diameters are 0 and the distance between classes takes their place"
  )
  if (length(found)) warn("Kernel width: ", paste(found, collapse = "; "), ".")
}

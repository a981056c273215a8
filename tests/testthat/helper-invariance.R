# What must not matter: the same fit told in another way.

# The levels of a factor response in reverse order.
with_levels_reversed <- function(y) factor(y, levels = rev(levels(y)))

# Decision values whatever the order of the classes: a column "b/a" is one for "a/b" times -1.
unordered_decision <- function(decision) {
  pairs <- strsplit(colnames(decision) %||% rep("", ncol(decision)), "/", fixed = TRUE)
  for (j in which(lengths(pairs) == 2L)) {
    if (pairs[[j]][1L] < pairs[[j]][2L]) next
    decision[, j] <- -decision[, j]
    colnames(decision)[j] <- paste(rev(pairs[[j]]), collapse = "/")
  }
  if (is.null(colnames(decision))) decision else
    decision[, sort(colnames(decision)), drop = FALSE]
}

# Two models give the same answers: decision values up to `tolerance`, and so labels but for ties,
# and what else there is. `newdata` for the first, `other` for the second.
expect_same_answers <- function(a, b, newdata, other = newdata, tolerance = 1e-5) {
  decision <- function(m, x) unordered_decision(predict(m, x, type = "decision"))
  expect_lt(max(abs(decision(a, newdata) - decision(b, other))), tolerance)
  label <- as.character(predict(a, newdata))
  expect_lte(sum(as.character(predict(b, other)) != label), 0.005 * length(label))
  expect_equal(b$cv.error, a$cv.error, tolerance = tolerance)
  if (!is.null(a$calibration)) {
    prob <- predict(a, newdata, type = "prob")
    expect_equal(predict(b, other, type = "prob")[, colnames(prob)], prob,
                 tolerance = 10 * tolerance)
  }
}

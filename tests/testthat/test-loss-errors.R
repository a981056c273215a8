# What does not go with a loss, in its wording.

d <- two_classes()
X <- d[-1]
number <- regression_data()
pairs <- rbind(c(low = 1, high = 2), c(1, 4))
three <- factor(rep(c("a", "b", "c"), length.out = 40))
quick <- function(...) vpsvm(..., gamma = 1, lambda = 0.01)
two_levels <- quick(t ~ u, number, loss = "pinball", tau = c(0.1, 0.9))
squares <- quick(t ~ u, number)
weighted <- quick(X, d$y, loss = "hinge", class.weights = pairs)

hostile <- alist(
  vpsvm(X, d$y, loss = "logistic"), vpsvm(X, d$y, loss = NA),
  vpsvm(t ~ u, number, loss = "hinge"), vpsvm(X, d$y, loss = "hinge", type = "regression"),
  vpsvm(X, d$y, loss = "pinball"), vpsvm(X, d$y, loss = "epsilon"),
  vpsvm(t ~ u, number, loss = "pinball", tau = 0), vpsvm(t ~ u, number, loss = "pinball", tau = 1),
  vpsvm(t ~ u, number, loss = "pinball", tau = c(0.9, 0.1)),
  vpsvm(t ~ u, number, loss = "expectile", tau = c(0.1, 0.1)),
  vpsvm(t ~ u, number, loss = "expectile", tau = NA),
  vpsvm(t ~ u, number, loss = "pinball", tau = "low"),
  vpsvm(t ~ u, number, tau = 0.5), vpsvm(X, d$y, loss = "hinge", tau = 0.5),
  vpsvm(t ~ u, number, loss = "epsilon", epsilon = -1),
  vpsvm(t ~ u, number, loss = "epsilon", epsilon = "small"),
  vpsvm(X, three, loss = "hinge", multiclass = "all"),
  vpsvm(X, d$y, loss = "hinge", class.weights = unname(pairs)),
  vpsvm(X, d$y, loss = "hinge", class.weights = -pairs),
  vpsvm(X, d$y, loss = "hinge", class.weights = cbind(low = 1, up = 2)),
  vpsvm(X, three, loss = "hinge", class.weights = pairs),
  vpsvm(X, d$y, loss = "hinge", class.weights = pairs, probability = TRUE),
  predict(two_levels, number, tau = 0.5), predict(two_levels, number, tau = "0.1"),
  predict(squares, number, tau = 0.5),
  predict(two_levels, number, interval = "conformal", tau = 0.1),
  predict(weighted, X, interval = "conformal"), predict(weighted, X, type = "prob"),
  predict(weighted, X, type = "votes"),
  vpsvm(t ~ u, number, class.weights = pairs)
)

test_that("hostile calls are errors of ours, in these words", {
  expect_refusals(hostile, environment())
})

from django.urls import path

from adjudication import views

urlpatterns = [
    path("c/<slug:slug>/cases/", views.queue, name="queue"),
    path("c/<slug:slug>/cases/<int:pk>/", views.case_work, name="case-work"),
    path("c/<slug:slug>/cases/<int:pk>/more/", views.more_cases, name="case-more"),
    path("c/<slug:slug>/cases/<int:pk>/<str:token>/", views.case, name="case"),
    path("c/<slug:slug>/decisions/", views.own_decisions, name="decisions"),
    path("c/<slug:slug>/all-cases/", views.all_cases, name="cases"),
    path("c/<slug:slug>/all-cases/<int:pk>/reopen/", views.reopen, name="reopen-pair"),
]
